package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// others: pods that are not simply scheduled, and nodes that come and go.
func others(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(4, 2)))
	t.start(today)
	t.gated()
	t.ofAnotherScheduler()
	t.ofDaemonSet()
	t.withUnboundClaim()
	t.onNewNode()
	t.nodeGone()
	if t.Winnow != nil {
		t.pictureIsTheCluster()
	}
}

// gated pods are nobody's until the gate is removed.
func (t *T) gated() {
	pod := cluster.Pod("gated")
	pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "e2e.example/wait"}}
	t.add(pod)
	time.Sleep(time.Second)
	t.check(t.Watch.NodeOf("gated") == "", "a gated pod is on %s", t.Watch.NodeOf("gated"))
	found, err := t.Client.CoreV1().Pods(cluster.Namespace).Get(t.Ctx, "gated", meta.GetOptions{})
	t.must(err)
	found.Spec.SchedulingGates = nil
	_, err = t.Client.CoreV1().Pods(cluster.Namespace).Update(t.Ctx, found, meta.UpdateOptions{})
	t.must(err)
	t.check(t.bound("gated", 10*time.Second) != "", "the pod is not bound after its gate is gone: %s", t.history("gated"))
}

// ofAnotherScheduler: what another scheduler has placed is counted.
func (t *T) ofAnotherScheduler() {
	t.add(cluster.Pod("others", cluster.By("another"), cluster.Requests("3500m", "1Gi")))
	binding := &v1.Binding{
		ObjectMeta: meta.ObjectMeta{Name: "others", Namespace: cluster.Namespace},
		Target:     v1.ObjectReference{Kind: "Node", Name: "node-0003"},
	}
	t.must(t.Client.CoreV1().Pods(cluster.Namespace).Bind(t.Ctx, binding, meta.CreateOptions{}))
	t.bound("others", 5*time.Second)
	t.add(cluster.Pods("big", 3, cluster.Requests("3", "1Gi"))...)
	on := t.nodesOf("big", 3)
	t.check(len(on) == 3 && on["node-0003"] == 0, "three big pods are on %v; node-0003 is taken", on)
}

// ofDaemonSet: such a pod names its node by a field.
func (t *T) ofDaemonSet() {
	pod := cluster.Pod("daemon")
	is := v1.NodeSelectorRequirement{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"node-0003"}}
	terms := []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{is}}}
	pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms}}}
	t.add(pod)
	t.check(t.bound("daemon", 10*time.Second) == "node-0003",
		"the DaemonSet's pod is on %q: %s", t.Watch.NodeOf("daemon"), t.history("daemon"))
}

// withUnboundClaim: a claim that does not wait for a pod, and that nobody has bound.
func (t *T) withUnboundClaim() {
	t.claim("unbound", "")
	t.add(cluster.Pod("claims", cluster.Claims("unbound")))
	message := t.unscheduled("claims", 10*time.Second)
	want := "0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims."
	t.check(len(message) >= len(want) && message[:len(want)] == want, "a pod with an unbound claim is told %q", message)
}

// onNewNode: kube-scheduler knows a new node first, and asks about it at once.
func (t *T) onNewNode() {
	t.add(cluster.Pods("wait", 3, cluster.NodeSelector("new", "yes"))...)
	t.unscheduled("wait-0002", 10*time.Second)
	t.must(t.AddNodes(t.Ctx, []*v1.Node{cluster.Node("node-new", "zone-0", cluster.NodeLabelled("new", "yes"))}))
	on := t.nodesOf("wait", 3)
	t.check(on["node-new"] == 3, "pods for the new node are on %v", on)
}

// nodeGone: a node that is deleted takes no more pods.
func (t *T) nodeGone() {
	t.must(t.Client.CoreV1().Nodes().Delete(t.Ctx, "node-0000", meta.DeleteOptions{}))
	if t.Winnow != nil {
		cluster.Until(5*time.Second, func() bool {
			nodes, _ := bed.Metric(t.Winnow.URL, "winnow_state_nodes")
			return nodes == 4
		})
	}
	time.Sleep(200 * time.Millisecond)
	t.add(cluster.Pods("later", 12)...)
	on := t.nodesOf("later", 12)
	t.check(on["node-0000"] == 0, "pods made after node-0000 was deleted are on %v", on)
}
