package main

import (
	"os"
	"slices"
	"strings"
	"time"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// way is how Winnow and kube-scheduler work together: a configuration of manifests/, Winnow's flags with it, and which
// kube-scheduler takes it. Without a configuration Winnow nominates, and kube-scheduler has its own defaults and no
// extender.
type way struct {
	configuration string
	flags         []string
	scheduler     string // Its program, of components/build.sh; "" is v1.37's own.
	allNodes      bool   // kube-scheduler looks at all nodes, not at its default sample.
}

func (w way) nominates() bool { return w.configuration == "" && len(w.flags) > 0 }

func (w way) binds() bool { return slices.Contains(w.flags, "--enable-bind") }

var ways = map[string]way{
	"scores":     {"kube-scheduler-scores.yaml", oneFlags, "", false},
	"everything": {"kube-scheduler-everything.yaml", oneFlags, "", false},
	"best":       {"kube-scheduler-best.yaml", bestFlags, "", false},
	"best-1.38":  {"kube-scheduler-best-1.38.yaml", judgedFlags, asksAll, false},
	"nominate":   {"", []string{"--nominate"}, "", false},
	gatedWay:     {"", []string{"--nominate", "--nominate-gate", nominateGate}, "", false},

	"everything, all nodes": {"kube-scheduler-everything.yaml", oneFlags, "", true},
	"best, all nodes":       {"kube-scheduler-best.yaml", bestFlags, "", true},
	"best, no filters":      {"kube-scheduler-best-no-filters.yaml", judgedFlags, "", false},

	bindingWay: {"kube-scheduler-best.yaml", slices.Concat(bestFlags, []string{"--enable-bind"}), "", false},
}

// asksAll asks about nodes without victims, as kube-scheduler 1.38 does.
const asksAll = "kube-scheduler-asks-all"

var (
	oneFlags    = []string{"--answer", "one", "--scheduler-filters=NodeResourcesFit,NodePorts"}
	bestFlags   = []string{"--answer", "best", "--scheduler-filters=NodeResourcesFit,NodePorts"}
	judgedFlags = []string{"--answer", "best", "--failed-nodes", "judged"}
)

// bindingWay is best with Winnow's own bind, which no manifest has.
const bindingWay = "best, Winnow binds"

// gatedWay is the one in which pods that have the gate wait for their nominations.
const gatedWay = "nominate with gate"

// inTree is kube-scheduler alone: what it does is what the checks of scenarios are measured by.
const inTree = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles: [{schedulerName: default-scheduler}]
`

// today are Winnow's rules where a scenario compares with kube-scheduler's own. It is kube-scheduler's configuration where
// that is to have its defaults.
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
	if ways[t.way].nominates() {
		t.startScheduler(today, "")
		return
	}
	t.startScheduler(t.configuration(), t.Winnow.URL)
}

// configuration of kube-scheduler in the scenario's way.
func (t *T) configuration() string {
	w := ways[t.way]
	text := t.read(t.manifest(w.configuration))
	if w.allNodes {
		text += "\npercentageOfNodesToScore: 100\n"
	}
	if w.binds() {
		text = t.withBindVerb(text)
	}
	return text
}

// withBindVerb has the extender of a configuration bind.
func (t *T) withBindVerb(configuration string) string {
	changed := strings.Replace(configuration, "\n  weight: ", "\n  bindVerb: bind\n  weight: ", 1)
	t.check(changed != configuration, "no extender has a weight, so none was given bindVerb: %s", configuration)
	return changed
}

// startWinnow returns when it is ready. Without rules they are those of v1.16's default provider.
func (t *T) startWinnow(rules string, flags ...string) {
	all := slices.Clone(ways[t.way].flags)
	if !slices.Contains(flags, "--v") {
		all = append(all, "--v", "1")
	}
	if rules == "" {
		all = append(all, "--config", "classic")
	} else {
		all = append(all, "--config", t.file("rules.yaml", rules))
	}
	t.winnowFlags = append(all, flags...)
	t.runWinnow(t.user(), 0, t.winnowFlags...)
	t.later(func() { t.Winnow.Stop() })
	t.must(t.Winnow.WaitReady())
}

// user is who Winnow is in the scenario's way.
func (t *T) user() string {
	if ways[t.way].nominates() {
		return bed.Nominator
	}
	return bed.Winnow
}

// runWinnow starts the process. Port 0 is any.
func (t *T) runWinnow(user string, port int, flags ...string) {
	winnow, err := t.StartWinnow(t.options.winnow, user, port, flags...)
	t.must(err)
	t.Winnow = winnow
}

// saysOnce: within five seconds this start of Winnow has logged the words, and once.
func (t *T) saysOnce(words string) {
	said := ""
	once := func() bool {
		said = t.Winnow.Said()
		return strings.Count(said, words) == 1
	}
	t.check(cluster.Until(5*time.Second, once), "winnow's log does not say once %q:\n%s", words, said)
}

func (t *T) startScheduler(configuration, extender string) {
	scheduler, err := t.StartSchedulerOf(ways[t.way].scheduler, configuration, extender)
	if scheduler != nil {
		t.later(func() { scheduler.Stop() })
	}
	t.must(err)
	t.Scheduler = scheduler
}

// grant gives Winnow's user exactly what manifests/rbac.yaml grants, and binding where it binds. Where it nominates it
// has what manifests/nominator.yaml grants, and the right to remove its gate where there is one. Where it answers calls it
// may nominate the pods that it has refused.
func (t *T) grant() {
	t.apply("rbac.yaml")
	if ways[t.way].nominates() {
		t.apply("nominator.yaml")
	}
	if t.way == gatedWay {
		t.apply("nominator-gate.yaml")
		t.later(t.removeGatePolicy)
	}
	if slices.Contains(ways[t.way].flags, "--answer") {
		t.grantRole("winnow-nominate-refused")
	}
	if ways[t.way].binds() {
		t.grantRole("winnow-bind")
	}
}

// grantRole gives Winnow's user a ClusterRole, until the scenario ends.
func (t *T) grantRole(role string) {
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: role},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "User", Name: bed.Winnow}},
	}
	bindings := t.Client.RbacV1().ClusterRoleBindings()
	if _, err := bindings.Create(t.Ctx, binding, meta.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		t.must(err)
	}
	t.later(func() { bindings.Delete(t.Ctx, role, meta.DeleteOptions{}) })
}

func (t *T) read(path string) string {
	text, err := os.ReadFile(path)
	t.must(err)
	return string(text)
}
