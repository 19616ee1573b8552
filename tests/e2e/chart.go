package main

import (
	"os/exec"
	"path/filepath"
	"strings"

	apps "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
)

// charted is a way of manifests/chart, and the name of its Deployment.
type charted struct {
	deployment string
	values     []string
}

var chartedWays = []charted{
	{"winnow-nominator", []string{"way=nominate", "gate.enabled=true", "networkPolicy.enabled=true", "dashboard.enabled=true"}},
	{"winnow-scheduler", []string{"way=second", "bind=true", "networkPolicy.enabled=true"}},
	{"winnow", []string{"way=scores", "networkPolicy.enabled=true", "networkPolicy.from[0].ipBlock.cidr=10.0.0.0/8"}},
	{"winnow", []string{"way=scores", "tls.enabled=true", "tls.certManager=false"}},
}

// chart: Helm installs each way of the chart, upgrades it, and takes it away again. The API server judges each object,
// before by a dry run. No cert-manager and no Prometheus operator are here; tests/chart reads what is for them.
func chart(t *T) {
	for _, way := range chartedWays {
		values := strings.Join(append([]string{"image.repository=example.com/winnow", "image.tag=v1"}, way.values...), ",")
		common := []string{"winnow", filepath.Join(t.options.root, "manifests/chart"), "--namespace", "kube-system",
			"--take-ownership", "--set", values}
		before := t.versionOf(way.deployment) // Other scenarios may have left one.
		t.helm(append([]string{"install", "--dry-run=server"}, common...)...)
		t.check(t.versionOf(way.deployment) == before, "%s: a dry run has made or changed the Deployment", values)
		t.helm(append([]string{"install"}, common...)...)
		t.check(t.replicas(way.deployment) == 2, "%s: %d replicas are installed", values, t.replicas(way.deployment))
		t.helm(append(append([]string{"upgrade"}, common...), "--set", "replicas=3")...)
		t.check(t.replicas(way.deployment) == 3, "%s: %d replicas after an upgrade", values, t.replicas(way.deployment))
		// No kubelet runs here, so no Job ends: winnow withdraw is not waited for.
		t.helm("uninstall", "winnow", "--namespace", "kube-system", "--no-hooks")
		t.check(t.replicas(way.deployment) == -1, "%s: the Deployment is still there", values)
	}
}

// helm calls it as the administrator, and fails the scenario where it fails.
func (t *T) helm(arguments ...string) {
	kubeconfig, err := t.Kubeconfig(bed.Admin, t.Balancer.URL)
	t.must(err)
	command := exec.CommandContext(t.Ctx, t.options.helm, append(arguments, "--kubeconfig", kubeconfig)...)
	said, err := command.CombinedOutput()
	t.check(err == nil, "helm %s: %v\n%s", strings.Join(arguments, " "), err, said)
}

// replicas that a Deployment of kube-system asks for, -1 where there is none.
func (t *T) replicas(deployment string) int32 {
	if found := t.deployment(deployment); found != nil {
		return *found.Spec.Replicas
	}
	return -1
}

// versionOf a Deployment, "" where there is none.
func (t *T) versionOf(deployment string) string {
	if found := t.deployment(deployment); found != nil {
		return found.ResourceVersion
	}
	return ""
}

// deployment of kube-system; nil where there is none.
func (t *T) deployment(name string) *apps.Deployment {
	found, err := t.Client.AppsV1().Deployments("kube-system").Get(t.Ctx, name, meta.GetOptions{})
	if errors.IsNotFound(err) {
		return nil
	}
	t.must(err)
	return found
}
