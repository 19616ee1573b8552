package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/measure"
)

const (
	sampledNodes = 5000 // kube-scheduler's default sample is 500 of them.
	sampleNeeds  = 40   // Nodes that carry low pods: candidates for an eviction.

	// sampleLater is what a pod may wait longer than in-tree's slowest over all nodes: 2 s, and kube-scheduler's back-off
	// after the first attempt.
	sampleLater = 3 * time.Second
	sampleStuck = 20 * time.Second
)

// sampleResult is what the tries of a kind came to on one side.
type sampleResult struct {
	measure.Waits
	evicted, elsewhere int
}

// sampleKind is a story in which one node alone is right, and kube-scheduler's sample of nodes rarely has it.
type sampleKind struct {
	name string
	part int // One in so many tries: some take long.
	try  func(*T, string, *sampleResult)
}

var sampleKinds = []sampleKind{
	{"one pod", 1, (*T).onePodOutside},
	{"100 pods at once", 10, (*T).manyPodsOutside},
	{"an eviction elsewhere", 1, (*T).evictionElsewhere},
	{"an eviction outside", 1, (*T).evictionOutside},
	{"Winnow restarts", 5, (*T).winnowRestartsOutside},
	{"kube-scheduler restarts", 5, (*T).schedulerRestartsOutside},
}

// outsideSample: the tries of sampling at 5,000 nodes, each side in the same run. In-tree looks at all nodes; best and
// everything see kube-scheduler's default sample. Pods go to the same node, nearly as soon, and nobody else is evicted.
func outsideSample(t *T) {
	condition := t.under()
	name := t.way
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(sampledNodes-1, 3)))
	t.must(t.AddNodes(t.Ctx, []*v1.Node{cluster.Node("outside", "zone-0", cluster.NodeLabelled("disk", "ssd"),
		cluster.Allocatable("400", "1Ti", "1000"))}))
	t.lagging(condition.lag)
	sides := t.sides(side{"best", "best", today, nil}, side{"everything", "everything", today, nil})
	var found results[sampleResult]
	for _, s := range sides {
		t.within(func() {
			t.startSide(s)
			for _, kind := range sampleKinds {
				if chosen(t.options.kinds, kind.name) {
					found.put(kind.name, s, t.triesOutside(kind, condition))
				}
			}
		})
	}
	t.judgeOutside(name, sides, &found)
}

// triesOutside plays a kind's tries.
func (t *T) triesOutside(kind sampleKind, c condition) *sampleResult {
	result := &sampleResult{}
	for range max(1, t.options.tries/kind.part) {
		t.turn++
		kind.try(t, fmt.Sprintf("pod-%d", t.turn), result)
		t.clearPods(allPods)
		time.Sleep(c.restful())
	}
	return result
}

// waitsOutside counts how long a pod waited since it began to, and that it went to the one node.
func (t *T) waitsOutside(pod string, begin time.Time, result *sampleResult) {
	node := t.bound(pod, sampleStuck)
	result.Add(t.Watch.BoundAt(pod).Sub(begin), node != "")
	if node != "outside" {
		result.elsewhere++
		t.note("%s is on %q: %s", pod, node, t.history(pod))
	}
}

func (t *T) onePodOutside(name string, result *sampleResult) {
	begin := time.Now()
	t.add(cluster.Pod(name, cluster.NodeSelector("disk", "ssd")))
	t.waitsOutside(name, begin, result)
}

// manyPodsOutside: counted is the time from the creation of the last one.
func (t *T) manyPodsOutside(name string, result *sampleResult) {
	pods := cluster.Pods(name, 100, cluster.NodeSelector("disk", "ssd"))
	t.add(pods...)
	begin := time.Now()
	for _, pod := range pods {
		t.waitsOutside(pod.Name, begin, result)
	}
}

// evictionElsewhere: the nodes of the sample have pods of lower priority that could go, and one node has room.
func (t *T) evictionElsewhere(name string, result *sampleResult) {
	labelled := make([]string, sampleNeeds)
	for i := range labelled {
		labelled[i] = fmt.Sprintf("node-%04d", i*(sampledNodes/sampleNeeds))
		t.must(t.labelNode(labelled[i], "disk", "ssd"))
		t.add(cluster.Pod("low-"+labelled[i], cluster.Requests("4", "1Gi"), cluster.On(labelled[i]), cluster.Priority("low")))
	}
	t.lowPodsAre(sampleNeeds)
	begin := time.Now()
	t.add(cluster.Pod(name, cluster.NodeSelector("disk", "ssd"), cluster.Requests("3", "1Gi"), cluster.Priority("high")))
	t.waitsOutside(name, begin, result)
	result.evicted += sampleNeeds - t.lowPods()
	for _, node := range labelled {
		t.must(t.labelNode(node, "disk", ""))
	}
}

// evictionOutside: the one node that an eviction frees is outside the sample, and every other one is beyond help.
func (t *T) evictionOutside(name string, result *sampleResult) {
	t.add(cluster.Pod("low-"+name, cluster.Requests("400", "1Gi"), cluster.On("outside"), cluster.Priority("low")))
	t.lowPodsAre(1)
	begin := time.Now()
	t.add(cluster.Pod(name, cluster.NodeSelector("disk", "ssd"), cluster.Requests("3", "1Gi"), cluster.Priority("high")))
	t.waitsOutside(name, begin, result)
	result.evicted += 1 - t.lowPods()
}

func (t *T) lowPodsAre(count int) {
	t.check(cluster.Until(10*time.Second, func() bool { return t.lowPods() == count && t.Watch.Bound() == count }),
		"%d pods of low priority are there, not %d", t.lowPods(), count)
	time.Sleep(50 * time.Millisecond) // For the watches of all.
}

// winnowRestartsOutside: the node begins to fit while Winnow is not there. In-tree has nothing to restart.
func (t *T) winnowRestartsOutside(name string, result *sampleResult) {
	t.must(t.labelNode("outside", "disk", ""))
	t.add(cluster.Pod(name, cluster.NodeSelector("disk", "ssd")))
	t.unscheduled(name, sampleStuck)
	if t.way != "in-tree" {
		t.Winnow.Stop()
	}
	t.must(t.labelNode("outside", "disk", "ssd"))
	if t.way != "in-tree" {
		t.runWinnow(t.user(), t.Winnow.Port(), t.winnowFlags...)
		t.must(t.Winnow.WaitReady())
	}
	t.waitsOutside(name, time.Now(), result)
}

// schedulerRestartsOutside: kube-scheduler ends when it has just been given the pod, and comes back. Counted is the time
// from when it is ready.
func (t *T) schedulerRestartsOutside(name string, result *sampleResult) {
	t.add(cluster.Pod(name, cluster.NodeSelector("disk", "ssd")))
	time.Sleep(time.Duration(t.turn%5) * 20 * time.Millisecond) // Before, in and after the attempt, by the try.
	t.Scheduler.Kill()
	t.must(t.Scheduler.Launch())
	t.must(t.Scheduler.WaitReady())
	t.waitsOutside(name, time.Now(), result)
}

// judgeOutside checks the promises, and prints the table.
func (t *T) judgeOutside(condition string, sides []side, found *results[sampleResult]) {
	fmt.Println(measure.Head([]string{"condition", "only one node of 5,000 fits", "way"},
		[]string{"pods", "stuck", "median s", "max s", "evicted", "elsewhere", "in-tree: stuck", "median s", "max s", "evicted", "elsewhere"}))
	for _, kind := range sampleKinds {
		found.each(kind.name, sides, func(s side, mine, inTree *sampleResult) {
			cells := append([]string{condition, kind.name, s.name, fmt.Sprint(mine.Tries())}, mine.cells()...)
			fmt.Println(measure.Row(append(cells, inTree.cells()...)...))
			where := fmt.Sprintf("%s, %s, %s", condition, kind.name, s.name)
			t.check(mine.Stuck == 0, "%s: %d pods of %d wait for %v", where, mine.Stuck, mine.Tries(), sampleStuck)
			t.check(mine.elsewhere == 0, "%s: %d pods are not on the one node", where, mine.elsewhere)
			if inTree == nil {
				return
			}
			t.check(mine.Max() <= inTree.Max()+sampleLater, "%s: a pod waits %v, in-tree's %v at most", where, mine.Max(), inTree.Max())
			t.check(mine.evicted <= inTree.evicted, "%s: %d pods are evicted, in-tree evicts %d", where, mine.evicted, inTree.evicted)
		})
	}
}

// cells are those of the waits, and the pods that were evicted or are on another node, in all tries.
func (r *sampleResult) cells() []string {
	if r == nil {
		return make([]string, 5)
	}
	return append(r.Cells(), fmt.Sprint(r.evicted), fmt.Sprint(r.elsewhere))
}
