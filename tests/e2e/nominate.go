package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// nominate: 1,000 pods of a Service go where SelectorSpread wants them, by nominations alone, with what
// manifests/nominator.yaml grants. kube-scheduler has its default configuration, and no extender. The pods are gated,
// so that none reaches it before its nomination does.
func nominate(t *T) {
	t.lagging(t.under().lag)
	t.way = gatedWay
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(100, 3, cluster.Allocatable("32", "64Gi", "110"))))
	t.service("web")
	t.start(selectorSpread)
	t.add(cluster.Pods("web", 1000, withGate(nominateGate), cluster.Labelled("app", "web"), cluster.Requests("100m", "100Mi"))...)
	t.allBound(1000, 3*time.Minute) // Half a minute, unless the machine is busy.
	t.wellSpread(t.Watch.All())
	t.followed(1000)
	t.givenUpAndFitting()
}

// followed: kube-scheduler has bound as many pods to their nominated nodes, and no nomination has ended otherwise.
func (t *T) followed(pods float64) {
	ended := func(labels ...string) float64 {
		count, err := bed.Metric(t.Winnow.URL, "winnow_nominations_total", labels...)
		t.must(err)
		return count
	}
	cluster.Until(30*time.Second, func() bool { return ended() >= pods })
	followed, all := ended(`outcome="followed"`), ended()
	t.check(followed == pods && all == pods, "%v of %v nominations were followed", followed, all)
}

// whereNominated: each pod is on the node of its last nomination.
func (t *T) whereNominated() {
	var not []string
	for _, pod := range t.Watch.All() {
		if node := t.Watch.NominatedFor(pod.Name); node == "" || node != pod.Spec.NodeName {
			not = append(not, fmt.Sprintf("%s (on %q): %s", pod.Name, pod.Spec.NodeName, t.history(pod.Name)))
		}
	}
	t.check(len(not) == 0, "%d pods are not where they were nominated, the first: %q", len(not), not[:min(3, len(not))])
}

// givenUpAndFitting: a pod that kube-scheduler has given up is nominated when it fits, and runs.
func (t *T) givenUpAndFitting() {
	t.add(cluster.Pod("large", cluster.Requests("60", "1Gi")))
	t.eventSays("large", "Insufficient cpu")
	t.must(t.AddNodes(t.Ctx, []*v1.Node{cluster.Node("large", "zone-0", cluster.Allocatable("64", "64Gi", "110"))}))
	t.check(t.bound("large", 30*time.Second) != "", "the pod is not bound when a node has room: %s", t.history("large"))
}

// gateOfWay gives the pod the gate, where the way has it.
func (t *T) gateOfWay(pod *v1.Pod) {
	if t.way == gatedWay {
		withGate(nominateGate)(pod)
	}
}
