package main

import (
	"os"
	"slices"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
)

// way is how Winnow and kube-scheduler work together: a configuration of manifests/, and Winnow's flags with it.
type way struct {
	configuration string
	flags         []string
}

var ways = map[string]way{
	"scores":     {"kube-scheduler-scores.yaml", []string{"--answer", "one"}},
	"everything": {"kube-scheduler-everything.yaml", []string{"--answer", "one"}},
	"best":       {"kube-scheduler-best.yaml", []string{"--answer", "best", "--enable-bind"}},
}

// inTree is kube-scheduler alone: what it does is what the checks of scenarios are measured by.
const inTree = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles: [{schedulerName: default-scheduler}]
`

// today are Winnow's rules where a scenario compares with kube-scheduler's own.
const today = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler}]
`

// start brings up Winnow with the rules, and kube-scheduler, as the scenario's way wants them.
func (t *T) start(rules string, flags ...string) {
	if t.way == "in-tree" {
		t.startScheduler(inTree, "")
		return
	}
	t.grant()
	t.startWinnow(rules, flags...)
	t.startScheduler(t.read(t.manifest(ways[t.way].configuration)), t.Winnow.URL)
}

// startWinnow returns when it is ready. Without rules they are the default provider's.
func (t *T) startWinnow(rules string, flags ...string) {
	all := slices.Clone(ways[t.way].flags)
	if !slices.Contains(flags, "--v") {
		all = append(all, "--v", "1")
	}
	if rules != "" {
		all = append(all, "--config", t.file("rules.yaml", rules))
	}
	t.winnowFlags = append(all, flags...)
	t.runWinnow(bed.Winnow, 0, t.winnowFlags...)
	t.later(func() { t.Winnow.Stop() })
	t.must(t.Winnow.WaitReady())
}

// runWinnow starts the process. Port 0 is any.
func (t *T) runWinnow(user string, port int, flags ...string) {
	winnow, err := t.StartWinnow(t.options.winnow, user, port, flags...)
	t.must(err)
	t.Winnow = winnow
}

func (t *T) startScheduler(configuration, extender string) {
	scheduler, err := t.StartScheduler(configuration, extender)
	if scheduler != nil {
		t.later(func() { scheduler.Stop() })
	}
	t.must(err)
	t.Scheduler = scheduler
}

// grant gives Winnow's user exactly what manifests/rbac.yaml grants, and binding where it binds.
func (t *T) grant() {
	t.apply("rbac.yaml")
	if t.way != "best" {
		return
	}
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: "winnow-bind"},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "winnow-bind"},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "User", Name: bed.Winnow}},
	}
	bindings := t.Client.RbacV1().ClusterRoleBindings()
	if _, err := bindings.Create(t.Ctx, binding, meta.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		t.must(err)
	}
	t.later(func() { bindings.Delete(t.Ctx, "winnow-bind", meta.DeleteOptions{}) })
}

func (t *T) read(path string) string {
	text, err := os.ReadFile(path)
	t.must(err)
	return string(text)
}
