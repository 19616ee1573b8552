package main

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// preempt: a high-priority pod evicts what it should, and no more. Four nodes of 4 cpu, full: node-0 by two pods of
// middle priority, node-1 and node-2 by pods of low priority, node-3 by pods of none (above low). node-1 has a taint
// that the pod does not tolerate: in-tree filters that are off do not know of it, and its low pods must live.
func preempt(t *T) {
	nodes := cluster.Nodes(4, 4)
	cluster.Tainted("dedicated", "", v1.TaintEffectNoSchedule)(nodes[1])
	t.must(t.AddNodes(t.Ctx, nodes))
	t.add(full("mid", "node-0000", "mid"), full("mid", "node-0000", "mid"))
	t.add(full("low", "node-0001", "low"), full("low", "node-0001", "low"))
	t.add(full("low", "node-0002", "low"))
	t.add(full("low", "node-0002", "low", cluster.HostPort(80), cluster.Labelled("guarded", "yes")))
	t.add(full("none", "node-0003", ""), full("none", "node-0003", ""))
	t.must(t.AddBudget(t.Ctx, "guarded", "yes", 1))
	t.start(today)
	t.byResources()
	t.byPort()
	t.byApartness()
	t.byNothing()
	for _, broken := range cluster.Broken(t.Watch.AllNodes(), t.Watch.All()) {
		t.check(false, "%s", broken)
	}
}

var made int

// full is a pod that takes half of a node.
func full(name, node, class string, edits ...func(*v1.Pod)) *v1.Pod {
	made++
	edits = append(edits, cluster.Requests("2", "1Gi"), cluster.On(node))
	if class != "" {
		edits = append(edits, cluster.Priority(class))
	}
	return cluster.Pod(fmt.Sprintf("%s-%d-on-%s", name, made, node), edits...)
}

// byResources: of node-2's two low pods the one without a budget goes, and no other pod of the cluster.
func (t *T) byResources() {
	before := t.names()
	t.add(cluster.Pod("high", cluster.Requests("2", "1Gi"), cluster.Priority("high")))
	node := t.bound("high", 15*time.Second)
	t.check(node == "node-0002", "the high pod is on %q: %s", node, t.history("high"))
	gone := t.gone(before)
	t.check(len(gone) == 1 && gone[0][:3] == "low" && gone[0][len(gone[0])-4:] == "0002", "evicted for it: %v", gone)
	t.check(len(t.Watch.All()) == len(before) && t.guardedLives(), "the guarded pod is gone")
	events := t.events("high", "FailedScheduling")
	want := t.inOrder("0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 Insufficient cpu.",
		"0/4 nodes are available: 4 Insufficient cpu.")
	want += " preemption: found a potential placement for pod on node node-0002, preempting 1 victims"
	t.check(slices.Contains(events, want), "its events are %v, and not %q", events, want)
}

func (t *T) guardedLives() bool { return len(labelled(t.Watch.All(), "guarded", "yes")) == 1 }

// byPort: only the guarded pod has the port, on the one node that the pod selects; a budget is broken where nothing
// else helps.
func (t *T) byPort() {
	before := t.names()
	t.add(cluster.Pod("high-port", cluster.HostPort(80), cluster.Priority("high"),
		cluster.NodeSelector(cluster.Hostname, "node-0002")))
	node := t.bound("high-port", 15*time.Second)
	t.check(node == "node-0002", "the pod with the port is on %q: %s", node, t.history("high-port"))
	gone := t.gone(before)
	t.check(len(gone) == 1 && !t.guardedLives(), "evicted for it: %v", gone)
}

// byApartness: a low pod keeps a high one out by anti-affinity alone. Where InterPodAffinity is on in kube-scheduler
// the low one is evicted, and where Winnow is asked all the same. With best up to v1.37 nobody is, and the pod waits
// without being tried again and again.
func (t *T) byApartness() {
	apart := []func(*v1.Pod){cluster.Labelled("app", "apart"), cluster.Apart("app", "apart", cluster.Zone)}
	for node, class := range map[string]string{"node-0000": "mid", "node-0002": "mid", "node-0003": "low"} {
		t.add(cluster.Pod("apart-on-"+node, append(apart, cluster.On(node), cluster.Priority(class))...))
	}
	cluster.Until(5*time.Second, func() bool { return len(labelled(t.Watch.All(), "app", "apart")) == 3 })
	time.Sleep(300 * time.Millisecond) // All have seen them.
	before, asked := t.names(), t.filterCalls()
	t.add(cluster.Pod("high-apart", append(apart, cluster.Priority("high"))...))
	if t.way == "best" || t.way == bindingWay {
		time.Sleep(4 * time.Second)
		gone := t.gone(before)
		t.check(t.Watch.NodeOf("high-apart") == "" && len(gone) == 0,
			"it is on %q, evicted: %v", t.Watch.NodeOf("high-apart"), gone)
		calls := t.filterCalls() - asked
		t.check(calls >= 1 && calls <= 5, "it was asked about %v times in 4 s: %s", calls, t.history("high-apart"))
		return
	}
	node := t.bound("high-apart", 15*time.Second)
	t.check(node == "node-0003", "the pod that must be apart is on %q: %s", node, t.history("high-apart"))
	gone := t.gone(before)
	t.check(len(gone) == 1 && gone[0] == "apart-on-node-0003", "evicted for it: %v", gone)
}

// byNothing: pods that are not of lower priority keep one of middle priority out of each zone. It waits, though nodes
// have pods of lower priority, and is not tried again and again.
func (t *T) byNothing() {
	before, tried := t.names(), t.attempts()
	t.add(cluster.Pod("mid-apart", cluster.Labelled("app", "apart"), cluster.Apart("app", "apart", cluster.Zone),
		cluster.Priority("mid")))
	time.Sleep(4 * time.Second)
	gone := t.gone(before)
	t.check(t.Watch.NodeOf("mid-apart") == "" && len(gone) == 0,
		"it is on %q, evicted: %v", t.Watch.NodeOf("mid-apart"), gone)
	tries := t.attempts() - tried
	t.check(tries >= 1 && tries <= 5, "it was tried %v times in 4 s: %s", tries, t.history("mid-apart"))
}

func (t *T) filterCalls() float64 {
	if t.Winnow == nil {
		return 0
	}
	calls, err := bed.Metric(t.Winnow.URL, "winnow_requests_total", "filter")
	t.must(err)
	return calls
}

func (t *T) names() (names []string) {
	for _, pod := range t.Watch.All() {
		names = append(names, pod.Name)
	}
	return names
}

// gone are those of the names that are no longer there.
func (t *T) gone(before []string) (gone []string) {
	now := t.names()
	for _, name := range before {
		if !slices.Contains(now, name) {
			gone = append(gone, name)
		}
	}
	return gone
}
