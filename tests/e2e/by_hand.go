package main

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	wire "k8s.io/kube-scheduler/extender/v1"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/extender"
)

// byHand: what Winnow takes for granted of kube-scheduler, tried with an extender whose answers are made here. Where a later
// release fails this, the code that leans on it is to be looked at.
func byHand(t *T) {
	e := &extender.Extender{}
	t.must(e.Start())
	t.later(e.Stop)
	t.startScheduler(t.read(t.manifest("kube-scheduler-best.yaml")), e.URL)
	nodes := cluster.Nodes(8, 2)
	t.must(t.AddNodes(t.Ctx, nodes))
	for _, node := range nodes {
		t.add(full("low", node.Name, "low"), full("low", node.Name, "low"))
	}
	t.victimsByHand(e)
	t.refusalsByHand(e)
	t.signsByHand(e)
}

// victimsByHand: preempt is asked about all nodes that an eviction helps, may name a node and other victims than it was offered, and
// filter is then asked about that node alone, of which the pod says that it is nominated for it.
func (t *T) victimsByHand(e *extender.Extender) {
	cluster.Until(5*time.Second, func() bool { return len(t.Watch.All()) == 16 })
	time.Sleep(300 * time.Millisecond)
	e.Preempt = func(*wire.ExtenderPreemptionArgs) map[string]*wire.MetaVictims {
		victims := &wire.MetaVictims{}
		for _, pod := range t.Watch.All() {
			if pod.Spec.NodeName == "node-0005" {
				victims.Pods = append(victims.Pods, &wire.MetaPod{UID: string(pod.UID)})
			}
		}
		return map[string]*wire.MetaVictims{"node-0005": victims}
	}
	before := t.names()
	t.add(cluster.Pod("high", cluster.Requests("2", "1Gi"), cluster.Priority("high")))
	t.check(t.bound("high", 10*time.Second) == "node-0005", "the pod is on %q: %s", t.Watch.NodeOf("high"), t.history("high"))
	t.check(len(t.gone(before)) == 2, "both pods of node-0005 were named, evicted are %v", t.gone(before))
	asked := e.Calls("preempt", "high")
	t.check(len(asked) == 1 && asked[0].Asked == 8, "preempt was asked %d times: %v", len(asked), asked)
	filtered := e.Calls("filter", "high")
	if t.check(len(filtered) == 1, "filter was asked %d times", len(filtered)) {
		args := filtered[0].Args.(*wire.ExtenderArgs)
		t.check(args.Pod.Status.NominatedNodeName == "node-0005" && slices.Equal(*args.NodeNames, []string{"node-0005"}),
			"filter was asked about %v, nominated is %q", *args.NodeNames, args.Pod.Status.NominatedNodeName)
	}
}

// refusalsByHand: nodes with pods of lower priority that only the extender refuses, as FailedNodes: the message names all nodes in
// another order each time, and each such message wakes the pod. As FailedAndUnresolvableNodes it waits.
func (t *T) refusalsByHand(e *extender.Extender) {
	e.Filter = func(_ *v1.Pod, nodes []string) *wire.ExtenderFilterResult { return extender.Pass(nil, nodes, "no") }
	t.add(cluster.Pod("turning", cluster.Priority("high")))
	time.Sleep(2 * time.Second)
	turns := len(e.Calls("filter", "turning"))
	t.remove("turning")
	e.Filter = func(_ *v1.Pod, nodes []string) *wire.ExtenderFilterResult {
		result := extender.Pass(nil, nodes, "no")
		result.FailedNodes, result.FailedAndUnresolvableNodes = nil, result.FailedNodes
		return result
	}
	t.add(cluster.Pod("waiting", cluster.Priority("high")))
	time.Sleep(2 * time.Second)
	waits := len(e.Calls("filter", "waiting"))
	t.remove("waiting")
	t.check(turns > 10 && waits <= 3, "in 2 s filter was asked %d times where eviction might help, %d where it cannot", turns, waits)
}

// signsByHand: a node that kube-scheduler follows with a claim is nominated first, and no longer when that fails. The condition says so the
// first time only; from the second on it stays as it is.
func (t *T) signsByHand(e *extender.Extender) {
	t.must(t.AddLateClass(t.Ctx, "made", "e2e.example/by-hand"))
	t.claim("data", "made")
	e.Filter = func(*v1.Pod, []string) *wire.ExtenderFilterResult {
		return extender.Pass([]string{"node-0001"}, nil, "")
	}
	refused := t.provision("data", "node-0001")
	t.add(cluster.Pod("follows", cluster.Claims("data")))
	cluster.Until(15*time.Second, func() bool { return len(t.Watch.History("follows")) >= 6 })
	t.remove("follows")
	refused()
	var said []string
	for _, step := range t.Watch.History("follows") {
		said = append(said, strings.SplitN(step.What, ":", 2)[0])
	}
	want := []string{"created", "nominated for node-0001", "nominated for ", "PodScheduled=False SchedulerError",
		"nominated for node-0001", "nominated for "}
	t.check(len(said) >= len(want) && slices.Equal(said[:len(want)], want), "the watch has shown %q", said)
}
