package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// misfit is a line of kube-scheduler's file that is wrong with Winnow's flags, and what Winnow says of it.
type misfit struct {
	name     string
	from, to string // Of kube-scheduler's file.
	problem  string // "": it must not say a word.
	line     string
	stuck    bool // No pod is bound.
}

var notFitting = map[string][]misfit{
	"best": {
		{name: "fits"},
		{name: "no-filter", from: "  filterVerb: filter\n", problem: "filter_not_called", line: "filterVerb: filter"},
		{name: "bind", from: "  weight: 1\n", to: "  bindVerb: bind\n  weight: 1\n", problem: "bind_called",
			line: "bindVerb: bind", stuck: true},
		{name: "whole", from: "  nodeCacheCapable: true\n", problem: "whole_nodes", line: "nodeCacheCapable: true"},
	},
	bindingWay: {
		{name: "fits"},
		{name: "no-bind", from: "  bindVerb: bind\n", problem: "bind_not_called", line: "bindVerb: bind"},
	},
	"everything": {
		{name: "fits"},
		{name: "no-filter", from: "  filterVerb: filter\n", problem: "filter_not_called", line: "filterVerb: filter"},
		{name: "bind", from: "  weight: 1 ", to: "  bindVerb: bind\n  weight: 1 ", problem: "bind_called",
			line: "bindVerb: bind", stuck: true},
	},
}

// misfits: flags and kube-scheduler's file that do not fit each other are noticed from the calls that come, and said
// once; of those that fit nothing is said, through a start, a preemption and 60 pods. With best, rules that lack what it
// takes are refused at the start.
func misfits(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(4, 2)))
	t.grant()
	if t.way == "best" {
		t.refused()
	}
	for _, one := range notFitting[t.way] {
		t.fitted(one)
	}
}

func (t *T) fitted(one misfit) {
	configuration := strings.Replace(t.configuration(), one.from, one.to, 1)
	t.runWinnow(bed.Winnow, 0, append([]string{"--config", t.file("rules.yaml", today)}, ways[t.way].flags...)...)
	defer t.Winnow.Stop()
	t.must(t.Winnow.WaitReady())
	t.startSchedulerFor(configuration)
	defer t.Scheduler.Stop()
	t.add(cluster.Pods(one.name, 60, cluster.Requests("10m", "10Mi"))...)
	if !one.stuck {
		t.nodesOf(one.name, 60)
		t.evictFor(one.name)
	}
	t.said(one)
	t.removeAll()
}

// startSchedulerFor starts one that the caller stops.
func (t *T) startSchedulerFor(configuration string) {
	scheduler, err := t.StartScheduler(configuration, t.Winnow.URL)
	t.must(err)
	t.Scheduler = scheduler
}

// evictFor has a pod preempt, and two more bound behind it. A node takes one of the low pods, wherever the 60 are.
func (t *T) evictFor(name string) {
	t.add(cluster.Pods(name+"-low", 4, cluster.Requests("2500m", "1Gi"), cluster.Priority("low"))...)
	t.nodesOf(name+"-low", 4)
	t.add(cluster.Pod(name+"-high", cluster.Requests("2", "1Gi"), cluster.Priority("high")))
	t.bound(name+"-high", 15*time.Second)
	t.add(cluster.Pods(name+"-more", 2)...)
	t.nodesOf(name+"-more", 2)
}

func (t *T) removeAll() {
	for _, pod := range t.Watch.All() {
		t.remove(pod.Name)
	}
	cluster.Until(15*time.Second, func() bool { return len(t.Watch.All()) == 0 })
}

func (t *T) said(one misfit) {
	problems := 0.0
	noticed := func() bool {
		problems, _ = bed.Metric(t.Winnow.URL, "winnow_setup_problems")
		return problems > 0
	}
	if one.problem == "" {
		t.check(!noticed() && !strings.Contains(t.Winnow.Said(), "problem="), "winnow sees a problem where there is none")
		return
	}
	cluster.Until(15*time.Second, noticed)
	seen, _ := bed.Metric(t.Winnow.URL, "winnow_setup_problems", one.problem)
	t.check(seen == 1 && problems == 1, "%s: winnow_setup_problems is %v of %v", one.name, seen, problems)
	t.saysOnce(fmt.Sprintf("line=%q problem=%s", one.line, one.problem))
}

// refused: a Policy in best's place is refused, with a line for each check that it lacks.
func (t *T) refused() {
	rules := t.file("policy.yaml", selectorSpread)
	command := append(append([]string{}, t.options.winnow...), "serve", "--kubeconfig", "none", "--config", rules, "--answer=best")
	text, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	exit, ended := err.(*exec.ExitError)
	t.check(ended && exit.ExitCode() == 2, "best with a Policy: %v", err)
	for _, plugin := range []string{"VolumeRestrictions", "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures"} {
		t.check(strings.Contains(string(text), "(kube-scheduler's "+plugin+")"), "%s is not named: %s", plugin, text)
	}
}
