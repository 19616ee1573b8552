package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	coordination "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// diagnosis is one check of `winnow doctor -o json`.
type diagnosis struct{ Result, Check, What, Mend string }

// doctor: `winnow doctor` finds nothing wrong on a sound bed, and names each fault that is planted, with what mends it.
// What it is told is real: kube-scheduler's own file and metrics, Winnow's answers, the API server's reviews.
func doctor(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(4, 2)))
	t.start(today)
	t.add(cluster.Pods("some", 5)...)
	t.allBound(5, 20*time.Second)
	held := cluster.Pod("held", withGate(nominateGate))
	t.add(held)
	asked := time.Now()
	sound := t.examine(0, t.ofWinnow()...)
	for _, check := range []string{"api-server", "rights", "clock", "version", "ready", "calls", "watches", "scheduler-config"} {
		t.check(slices.ContainsFunc(sound, func(d diagnosis) bool { return d.Check == check && d.Result == "ok" }),
			"%s is not ok: %v", check, sound)
	}
	// Its own role names the one EndpointSlice.
	t.examine(0, t.ofAdmin("--as", bed.Winnow, "--discover-api-servers")...)
	t.missingRight()
	t.twoNominators()
	t.notAsked()
	t.otherFile()
	t.gatedByNobody(asked)
}

// ofWinnow are the arguments for the Winnow that runs, as itself.
func (t *T) ofWinnow() []string {
	kubeconfig, err := t.Kubeconfig(bed.Winnow, t.Balancer.URL)
	t.must(err)
	return []string{"--kubeconfig", kubeconfig, "--server", t.Winnow.URL, "--config", t.rulesFile(),
		"--scheduler-config", t.schedulerFile(), "--scheduler-metrics", t.schedulerMetrics()}
}

// ofAdmin are the arguments for somebody who may see everything.
func (t *T) ofAdmin(more ...string) []string {
	kubeconfig, err := t.Kubeconfig(bed.Admin, t.Balancer.URL)
	t.must(err)
	return append([]string{"--kubeconfig", kubeconfig, "--config", t.rulesFile()}, more...)
}

func (t *T) rulesFile() string     { return filepath.Join(t.options.folder, "rules.yaml") }
func (t *T) schedulerFile() string { return filepath.Join(t.Folder(), "scheduler.yaml") }

func (t *T) schedulerMetrics() string {
	code, text, err := bed.Get(t.Scheduler.URL + "/metrics")
	t.must(err)
	t.check(code == 200, "kube-scheduler's /metrics is answered %d", code)
	return t.file("scheduler.metrics", text)
}

// examine runs doctor, which is to end with that code.
func (t *T) examine(code int, arguments ...string) (found []diagnosis) {
	found, exit, said := t.diagnose(arguments...)
	t.check(exit == code, "winnow doctor ends with %d, expected %d:\n%s", exit, code, said)
	return found
}

func (t *T) diagnose(arguments ...string) (found []diagnosis, exit int, said string) {
	out, errors, exit := t.runCommand(append([]string{"doctor", "-o", "json"}, arguments...)...)
	said = out + errors
	if exit == 2 {
		return nil, exit, said
	}
	report := struct{ Checks []diagnosis }{}
	t.must(json.Unmarshal([]byte(out), &report))
	return report.Checks, exit, said
}

// diagnosed: one diagnosis of that check has all of the texts, in what it says or in what mends it.
func (t *T) diagnosed(found []diagnosis, result, check string, texts ...string) {
	t.check(slices.ContainsFunc(found, func(d diagnosis) bool {
		return d.Check == check && d.Result == result &&
			!slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(d.What+"\n"+d.Mend, text) })
	}), "no %s of %s has %q: %v", result, check, texts, found)
}

// missingRight takes a resource out of Winnow's role. Winnow asks for itself, and an administrator asks for it.
func (t *T) missingRight() {
	roles := t.Client.RbacV1().ClusterRoles()
	role, err := roles.Get(t.Ctx, "winnow", meta.GetOptions{})
	t.must(err)
	whole := role.DeepCopy()
	for i := range role.Rules {
		role.Rules[i].Resources = without(role.Rules[i].Resources, "csinodes")
	}
	role, err = roles.Update(t.Ctx, role, meta.UpdateOptions{})
	t.must(err)
	mine := []string{"may not list csinodes.storage.k8s.io, watch csinodes.storage.k8s.io",
		"kubectl patch clusterrole winnow --type=json",
		`{"apiGroups":["storage.k8s.io"],"resources":["csinodes"],"verbs":["list","watch"]}`}
	var found []diagnosis
	t.check(cluster.Until(10*time.Second, func() bool { // RBAC's own watch.
		var exit int
		found, exit, _ = t.diagnose(t.ofWinnow()...)
		return exit == 1
	}), "doctor ends well without the right to list csinodes: %v", found)
	t.diagnosed(found, "error", "rights", mine...)
	t.diagnosed(t.examine(1, t.ofAdmin("--as", bed.Winnow)...), "error", "rights", mine...)
	whole.ResourceVersion = role.ResourceVersion
	_, err = roles.Update(t.Ctx, whole, meta.UpdateOptions{})
	t.must(err)
	t.check(cluster.Until(10*time.Second, func() bool {
		_, exit, _ := t.diagnose(t.ofAdmin("--as", bed.Winnow)...)
		return exit == 0
	}), "doctor does not end well 10 s after the right was given back")
}

// twoNominators are two Leases that are renewed, in two namespaces.
func (t *T) twoNominators() {
	t.apply("nominator.yaml") // With a Lease that nobody holds.
	t.later(func() { t.release("kube-system") })
	arguments := t.ofAdmin("--as", bed.Nominator, "--nominate")
	t.diagnosed(t.examine(1, arguments...), "error", "nominators", "nobody holds a Lease kube-system/winnow-nominator")
	t.hold("kube-system")
	t.diagnosed(t.examine(0, arguments...), "ok", "nominators", "one Winnow nominates: kube-system/winnow-nominator by e2e")
	t.hold(cluster.Namespace)
	t.diagnosed(t.examine(1, arguments...), "error", "nominators", "two Winnows nominate", cluster.Namespace+"/winnow-nominator",
		"--leader-elect-resource-namespace")
	t.release(cluster.Namespace)
	t.release("kube-system")
}

// hold has somebody hold the nominators' Lease of the namespace from now on, for an hour.
func (t *T) hold(namespace string) {
	leases := t.Client.CoordinationV1().Leases(namespace)
	leases.Delete(t.Ctx, "winnow-nominator", meta.DeleteOptions{})
	who, seconds, now := "e2e", int32(3600), meta.NowMicro()
	_, err := leases.Create(t.Ctx, &coordination.Lease{
		ObjectMeta: meta.ObjectMeta{Name: "winnow-nominator", Namespace: namespace},
		Spec:       coordination.LeaseSpec{HolderIdentity: &who, LeaseDurationSeconds: &seconds, RenewTime: &now},
	}, meta.CreateOptions{})
	t.must(err)
}

func (t *T) release(namespace string) {
	t.Client.CoordinationV1().Leases(namespace).Delete(t.Ctx, "winnow-nominator", meta.DeleteOptions{})
}

// notAsked is about a second Winnow, which kube-scheduler does not know of. What kube-scheduler has tried before proves
// nothing, so it is started again, and tries another pod.
func (t *T) notAsked() {
	second, err := t.StartWinnow(t.options.winnow, bed.Winnow, 0, t.winnowFlags...)
	t.must(err)
	defer second.Stop()
	t.must(second.WaitReady())
	about := func() []string {
		return []string{"--server", second.URL, "--config", t.rulesFile(), "--scheduler-metrics", t.schedulerMetrics()}
	}
	t.diagnosed(t.examine(0, about()...), "warning", "calls", "has not asked Winnow, which started later")
	t.killScheduler()
	t.add(cluster.Pod("another"))
	t.check(t.bound("another", 20*time.Second) != "", "a pod is not bound: %s", t.history("another"))
	arguments := about()
	t.diagnosed(t.examine(1, arguments...), "error", "calls", "and has not asked Winnow")
	t.diagnosed(t.examine(1, append(arguments, "--scheduler-config", t.schedulerFile())...), "error", "scheduler-config",
		"urlPrefix: "+second.URL)
}

// otherFile is kube-scheduler's file with whole nodes and a short list of candidates.
func (t *T) otherFile() {
	text := t.read(t.schedulerFile())
	for _, change := range [][2]string{{"minCandidateNodesPercentage: 100", "minCandidateNodesPercentage: 50"},
		{"nodeCacheCapable: true", "nodeCacheCapable: false"}} {
		t.check(strings.Contains(text, change[0]), "kube-scheduler's file has no %q", change[0])
		text = strings.Replace(text, change[0], change[1], 1)
	}
	arguments := []string{"--server", t.Winnow.URL, "--config", t.rulesFile(), "--scheduler-config", t.file("other.yaml", text)}
	found := t.examine(1, arguments...)
	t.diagnosed(found, "warning", "scheduler-config", "minCandidateNodesPercentage: 100")
	t.diagnosed(found, "error", "scheduler-config", "nodeCacheCapable: true")
}

// gatedByNobody: a pod has waited for the nominator's gate for half a minute, and there is no nominator.
func (t *T) gatedByNobody(since time.Time) {
	var found []diagnosis
	said := cluster.Until(time.Until(since.Add(60*time.Second)), func() bool {
		var exit int
		found, exit, _ = t.diagnose(t.ofWinnow()...)
		return exit == 1
	})
	t.check(said, "a minute after a pod was gated doctor finds nothing wrong: %v", found)
	t.diagnosed(found, "error", "gated-pods", "a pod has waited for the gate winnow.dev/nominate", "/held the longest",
		"start the nominator with --nominate-gate=winnow.dev/nominate")
	t.remove("held")
	t.examine(0, t.ofWinnow()...)
}
