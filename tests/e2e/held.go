package main

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/held"
	"winnow.test/e2e/measure"
)

// heldPlaces: pods that kube-scheduler does not place hold no place for longer than two seconds: pods that have room
// are bound in in-tree's time and that, and nobody is evicted whom in-tree would not evict.
func heldPlaces(t *T) {
	c := t.under()
	kinds, sides := t.heldKinds(), t.sides(t.holding()...)
	t.some("kinds", len(kinds))
	t.some("sides", len(sides))
	condition := t.way
	found := &results[heldResult]{}
	inWorlds(t, sides, func(t *T, sides []side) {
		t.lagging(c.lag)
		for _, s := range sides {
			for _, groups := range []bool{false, true} {
				mine := slices.DeleteFunc(slices.Clone(kinds), func(kind held.Kind) bool { return kind.PodGroups != groups })
				t.within(func() { t.heldBy(s, mine, groups, c, found) })
			}
		}
	})
	t.judgeHeld(condition, kinds, sides, found)
}

func (t *T) heldKinds() []held.Kind {
	if t.options.short {
		return held.Telling()
	}
	return slices.DeleteFunc(held.All(), func(kind held.Kind) bool { return !chosen(t.options.kinds, kind.Name) })
}

// holding are the ways in which Winnow holds places: by nominations, and by what it assumes.
func (t *T) holding() []side {
	all := []side{
		{"nominate", "nominate", today, nil},
		{"best", "best", today, nil},
		{gatedWay, gatedWay, today, nil},
		{"everything", "everything", today, nil},
	}
	if t.options.short {
		return all[:2]
	}
	return all
}

// heldResult is what the tries of a kind came to.
type heldResult struct {
	measure.Waits
	evicted []int // Of each try.
}

// heldBy plays the kinds with one kube-scheduler.
func (t *T) heldBy(s side, kinds []held.Kind, groups bool, c condition, found *results[heldResult]) {
	if len(kinds) == 0 {
		return
	}
	if groups {
		t.Gates = bed.PodGroups
		t.later(func() { t.Gates = "" })
	}
	t.startSide(s)
	for _, kind := range kinds {
		found.put(kind.Name, s, t.holds(kind, c))
	}
}

func (t *T) holds(kind held.Kind, c condition) *heldResult {
	stage := &held.Stage{Cluster: t.Cluster, Ctx: t.Ctx}
	t.must(t.Clear(t.Ctx))
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(held.Nodes, 2)))
	if kind.Prepare != nil {
		t.must(kind.Prepare(stage))
	}
	result := &heldResult{}
	for try := range t.options.heldTries {
		t.holdsOnce(kind, stage, try, c, result)
	}
	return result
}

func (t *T) holdsOnce(kind held.Kind, stage *held.Stage, try int, c condition, result *heldResult) {
	t.turn++
	prefix := fmt.Sprintf("held-%d", t.turn)
	low := 0
	if kind.Low != nil {
		t.add(kind.Low(try)...) // Those that are there stay.
		low = len(kind.Low(try))
		t.check(cluster.Until(10*time.Second, func() bool { return t.Watch.Bound() == low }),
			"%s, %s: the low pods do not run", t.way, kind.Name)
	}
	if kind.Before != nil {
		t.must(kind.Before(stage, prefix))
	}
	time.Sleep(c.restful())
	t.within(func() {
		if kind.Helper != nil {
			t.later(kind.Helper(stage, prefix))
		}
		measured := t.makesHeld(kind, stage, prefix)
		t.waitsFor(kind, measured, result)
	})
	evicted := low - t.lowPods()
	result.evicted = append(result.evicted, evicted)
	if evicted > 0 {
		t.note("%s, %s, try %d: %d low pods are gone", t.way, kind.Name, try, evicted)
	}
	t.clearPods(func(pod *v1.Pod) bool { return pod.Spec.PriorityClassName != "low" })
	if kind.After != nil {
		t.must(kind.After(stage, prefix))
	}
}

// waited is a pod that is to be bound, and when it had room.
type waited struct {
	pod  string
	from time.Time
}

// makesHeld makes the pods of a try, and gives those whose wait is measured.
func (t *T) makesHeld(kind held.Kind, stage *held.Stage, prefix string) (measured []waited) {
	for round := range max(1, kind.Rounds) {
		name := prefix
		if kind.Rounds > 1 {
			name = fmt.Sprintf("%s-%d", prefix, round)
		}
		var unplaced, ordinary []*v1.Pod
		if kind.Unplaced != nil {
			unplaced = t.gatedPods(kind.Unplaced(name))
			t.add(unplaced...)
			time.Sleep(kind.Pause)
		}
		from := time.Now()
		if kind.Ordinary != nil {
			ordinary = t.gatedPods(kind.Ordinary(name))
			t.add(ordinary...)
		}
		if kind.Room != nil {
			t.must(kind.Room(stage, prefix))
			ordinary = unplaced
		}
		for _, pod := range ordinary {
			measured = append(measured, waited{pod.Name, from})
		}
		if kind.Rounds > 1 {
			time.Sleep(held.Every)
			t.clearPods(func(pod *v1.Pod) bool { return pod.Spec.NodeName != "" && pod.Spec.PriorityClassName != "low" })
		}
	}
	return measured
}

func (t *T) gatedPods(pods []*v1.Pod) []*v1.Pod {
	for _, pod := range pods {
		t.gateOfWay(pod)
	}
	return pods
}

// waitsFor counts the longest wait of the pods. One that is not bound in time is stuck.
func (t *T) waitsFor(kind held.Kind, pods []waited, result *heldResult) {
	longest := time.Duration(0)
	bound := func(one waited) bool { return !t.Watch.BoundAt(one.pod).IsZero() }
	for _, one := range pods {
		if !cluster.Until(stuckAfter-min(stuckAfter, time.Since(one.from)), func() bool { return bound(one) }) {
			t.note("%s, %s: stuck: %s", t.way, kind.Name, t.tells(one.pod, one.from.Add(-time.Second)))
			result.Add(0, false)
			return
		}
		longest = max(longest, t.Watch.BoundAt(one.pod).Sub(one.from))
	}
	result.Add(longest, true)
}

func (t *T) lowPods() (count int) {
	for _, pod := range t.Watch.All() {
		if pod.Spec.PriorityClassName == "low" && pod.DeletionTimestamp == nil {
			count++
		}
	}
	return count
}

// clearPods deletes these pods, and waits until they are gone.
func (t *T) clearPods(these func(*v1.Pod) bool) {
	gone := func() (all bool) {
		all = true
		for _, pod := range t.Watch.All() {
			if these(pod) {
				all = false
				t.Client.CoreV1().Pods(cluster.Namespace).Delete(t.Ctx, pod.Name, meta.DeleteOptions{})
			}
		}
		return all
	}
	t.check(cluster.Until(20*time.Second, gone), "pods are still there 20 s after they were deleted")
}

// judgeHeld checks the promises, and prints the table.
func (t *T) judgeHeld(condition string, kinds []held.Kind, sides []side, found *results[heldResult]) {
	fmt.Println(measure.Head([]string{"condition", "not placed for", "way"},
		[]string{"tries", "stuck", "median s", "max s", "evicted", "in-tree: stuck", "median s", "max s", "evicted"}))
	for _, kind := range kinds {
		found.each(kind.Name, sides, func(s side, mine, inTree *heldResult) {
			cells := append([]string{condition, kind.Name, s.name, fmt.Sprint(mine.Tries())}, mine.cells()...)
			fmt.Println(measure.Row(append(cells, inTree.cells()...)...))
			where := fmt.Sprintf("%s, %s, %s", condition, kind.Name, s.name)
			t.check(mine.Stuck == 0, "%s: in %d of %d tries a pod that has room waits for %v", where, mine.Stuck, mine.Tries(), stuckAfter)
			if inTree == nil {
				return
			}
			t.check(mine.Max() <= inTree.Max()+longerThanInTree, "%s: a pod waits %v, in-tree's %v at most", where, mine.Max(), inTree.Max())
			t.check(measure.Max(mine.evicted) <= measure.Max(inTree.evicted), "%s: %d pods are evicted, in-tree evicts %d", where,
				measure.Max(mine.evicted), measure.Max(inTree.evicted))
		})
	}
}

// cells are those of the waits, and the most pods that a try has evicted.
func (r *heldResult) cells() []string {
	if r == nil {
		return make([]string, 4)
	}
	return append(r.Cells(), fmt.Sprint(measure.Max(r.evicted)))
}
