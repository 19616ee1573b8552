package main

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// boundSoon is when a pod that fits outside the sample must have its node: in-tree's time over all nodes, 2 s more, and
// kube-scheduler's back-off after the first attempt.
const boundSoon = 3500 * time.Millisecond

// sampling: kube-scheduler shows Winnow a part of the nodes, by its default (144 of 300). A pod that fits on a node of the
// other part is placed there all the same, and nobody is evicted who would not be with all nodes.
func sampling(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(299, 3)))
	t.must(t.AddNodes(t.Ctx, []*v1.Node{cluster.Node("outside", "zone-0", cluster.NodeLabelled("disk", "ssd"),
		cluster.Allocatable("400", "1Ti", "1000"))}))
	t.start(today)
	t.placesOutside()
	t.evictsNobody()
	t.evictsOutside()
	t.afterRestart()
	said := strings.Count(t.Winnow.Tail(2000), "percentageOfNodesToScore: 100")
	t.check(said == 0, "winnow's log asks for all nodes %d times, where it mends the sample", said)
	t.withoutNominations()
}

// placesOutside: a hundred pods at once fit on one node alone.
func (t *T) placesOutside() {
	pods := cluster.Pods("outside", 100, cluster.NodeSelector("disk", "ssd"))
	start := time.Now()
	t.add(pods...)
	made := time.Since(start)
	t.allBound(len(pods), boundSoon+made+5*time.Second)
	longest, pod := t.Watch.Longest()
	t.note("%d pods that one node of 300 fits: the slowest has waited %.2f s", len(pods), longest.Seconds())
	t.check(longest < boundSoon+made, "%s has waited %v: %s", pod, longest, t.history(pod))
	sampled, err := bed.Metric(t.Winnow.URL, "winnow_sampled_calls_total")
	t.check(err == nil && sampled > 0, "winnow_sampled_calls_total is %v (%v)", sampled, err)
	refused, err := bed.Metric(t.Winnow.URL, "winnow_refused_by_sample_total")
	t.check(err == nil && refused > 0, "no pod was refused by the sample: %v (%v)", refused, err)
	followed, err := bed.Metric(t.Winnow.URL, "winnow_nominations_total", `outcome="followed"`)
	t.check(err == nil && followed > 0, "no nomination was followed: %v (%v)", followed, err)
	t.clearPods(allPods)
}

// evictsNobody: pods of lower priority are on the nodes that kube-scheduler sees as candidates, and one node has room.
func (t *T) evictsNobody() {
	for node := range 20 {
		name := fmt.Sprintf("node-%04d", node)
		t.must(t.labelNode(name, "disk", "ssd"))
		t.add(cluster.Pod("low-"+name, cluster.Requests("4", "1Gi"), cluster.On(name), cluster.Priority("low")))
	}
	const before = 20
	t.check(cluster.Until(10*time.Second, func() bool { return t.lowPods() == before }), "%d pods are there", t.lowPods())
	for try := range 10 {
		name := fmt.Sprintf("spares-%d", try)
		t.add(cluster.Pod(name, cluster.NodeSelector("disk", "ssd"), cluster.Requests("3", "1Gi"), cluster.Priority("high")))
		node := t.bound(name, boundSoon+5*time.Second)
		t.check(node == "outside", "%s is on %q: %s", name, node, t.history(name))
		t.clearPods(func(pod *v1.Pod) bool { return pod.Name == name })
	}
	t.check(t.lowPods() == before, "%d pods of lower priority were evicted", before-t.lowPods())
	for node := range 20 {
		t.must(t.labelNode(fmt.Sprintf("node-%04d", node), "disk", ""))
	}
	t.clearPods(allPods)
}

// evictsOutside: the one node that evictions free is outside the sample, as a rule, and every other one is beyond help.
func (t *T) evictsOutside() {
	for try := range 5 {
		low, high := fmt.Sprintf("low-%d", try), fmt.Sprintf("high-%d", try)
		t.add(cluster.Pod(low, cluster.Requests("400", "1Gi"), cluster.On("outside"), cluster.Priority("low")))
		t.bound(low, 5*time.Second)
		t.add(cluster.Pod(high, cluster.NodeSelector("disk", "ssd"), cluster.Requests("3", "1Gi"), cluster.Priority("high")))
		node := t.bound(high, 15*time.Second)
		t.check(node == "outside", "%s is on %q: %s", high, node, t.history(high))
		t.clearPods(allPods)
	}
}

// afterRestart: Winnow has forgotten which pods it has refused, and finds them.
func (t *T) afterRestart() {
	t.must(t.labelNode("outside", "disk", ""))
	t.add(cluster.Pods("waits", 5, cluster.NodeSelector("disk", "ssd"))...)
	for _, pod := range cluster.Pods("waits", 5) {
		t.unscheduled(pod.Name, 10*time.Second)
	}
	port := t.Winnow.Port()
	t.Winnow.Stop()
	t.must(t.labelNode("outside", "disk", "ssd"))
	t.runWinnow(t.user(), port, t.winnowFlags...)
	t.must(t.Winnow.WaitReady())
	ready := time.Now()
	t.allBound(5, 15*time.Second)
	t.note("5 pods that were refused before a restart: bound %.2f s after Winnow was ready", time.Since(ready).Seconds())
	t.clearPods(allPods)
}

// withoutNominations: the right is missing. That is said from the start on, and Winnow is ready.
func (t *T) withoutNominations() {
	bindings := t.Client.RbacV1().ClusterRoleBindings()
	t.must(bindings.Delete(t.Ctx, "winnow-nominate-refused", meta.DeleteOptions{}))
	port := t.Winnow.Port()
	t.Winnow.Stop()
	t.runWinnow(t.user(), port, t.winnowFlags...)
	t.must(t.Winnow.WaitReady())
	why := ""
	t.check(cluster.Until(10*time.Second, func() bool {
		var code int
		var err error
		code, why, err = bed.Get(t.Winnow.URL + "/readyz?verbose")
		return err == nil && code == 200 && strings.Contains(why, "[-]nominate-refused degraded: ")
	}), "/readyz?verbose does not say that pods are not nominated: %s", why)
	on, err := bed.Metric(t.Winnow.URL, "winnow_nominates_refused")
	t.check(err == nil && on == 0, "winnow_nominates_refused is %v (%v)", on, err)
	t.saysOnce("cannot be nominated")
}

// labelNode sets a node's label; "" takes it away.
func (t *T) labelNode(node, key, value string) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, key, value)
	if value == "" {
		patch = fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, key)
	}
	_, err := t.Client.CoreV1().Nodes().Patch(t.Ctx, node, types.MergePatchType, []byte(patch), meta.PatchOptions{})
	return err
}

func allPods(*v1.Pod) bool { return true }
