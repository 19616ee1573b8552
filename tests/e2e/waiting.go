package main

import (
	"fmt"
	"slices"
	"time"

	"winnow.test/e2e/cluster"
	"winnow.test/e2e/measure"
	"winnow.test/e2e/waiting"
)

// What is promised of a pod that waits: after the event it waits no longer than this beyond the slowest of in-tree's in
// the same run, and never longer than stuckAfter, which is when a try gives up.
const (
	longerThanInTree = 2 * time.Second
	stuckAfter       = 6 * time.Second
)

// waitingPods: one pod waits in a cluster where nothing else happens, and one event makes it fit. That event is the
// last one: whoever misses it leaves the pod waiting for the five-minute flush.
func waitingPods(t *T) {
	found := &results[measure.Waits]{}
	c := t.under()
	kinds := t.waitingKinds()
	sides := t.sides(side{"everything", "everything", today, nil}, side{"best", "best", today, nil},
		side{"everything/policy", "everything", waiting.ServicePolicy, nil})
	t.some("kinds", len(kinds))
	t.some("sides", len(sides))
	condition := t.way
	inWorlds(t, kinds, func(t *T, kinds []waiting.Kind) {
		t.lagging(c.lag)
		for _, s := range sides {
			mine := slices.DeleteFunc(slices.Clone(kinds), func(kind waiting.Kind) bool { return !plays(s, kind) })
			if len(mine) == 0 {
				continue
			}
			t.within(func() {
				t.startSide(s)
				for _, kind := range mine {
					found.put(kind.Name, s, t.waits(kind, c))
				}
			})
		}
	})
	t.judgeWaits(condition, kinds, sides, found)
}

func (t *T) waitingKinds() []waiting.Kind {
	if t.options.short {
		return waiting.Telling()
	}
	return slices.DeleteFunc(waiting.All(), func(kind waiting.Kind) bool { return !chosen(t.options.kinds, kind.Name) })
}

func plays(s side, kind waiting.Kind) bool {
	return kind.ByService == (s.rules == waiting.ServicePolicy)
}

// waits plays a kind's tries.
func (t *T) waits(kind waiting.Kind, c condition) *measure.Waits {
	stage := &waiting.Stage{Cluster: t.Cluster, Ctx: t.Ctx}
	t.must(t.Clear(t.Ctx))
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(waiting.Nodes, 2, kind.Nodes...)))
	t.must(kind.Prepare(stage))
	result := &measure.Waits{}
	for try := range t.options.tries {
		time.Sleep(c.restful())
		t.waitsOnce(kind, stage, try, result)
	}
	return result
}

// waitsOnce has a pod wait, and times it from the event to its node.
func (t *T) waitsOnce(kind waiting.Kind, stage *waiting.Stage, try int, result *measure.Waits) {
	t.turn++
	name := fmt.Sprintf("waits-%d", t.turn)
	if kind.Before != nil {
		t.must(kind.Before(stage, try))
		time.Sleep(100 * time.Millisecond)
	}
	t.add(kind.Pod(name, try))
	t.check(t.unscheduled(name, 10*time.Second) != "" && t.Watch.NodeOf(name) == "",
		"%s, %s: a pod that fits nowhere does not wait: %s", t.way, kind.Name, t.history(name))
	time.Sleep(t.options.settle)
	event, attempts, asked := time.Now(), t.attempts(), t.filterCalls()
	t.must(kind.Event(stage, try))
	waited, bound := t.fromNowOn(kind, stage, try, name)
	if !bound {
		t.note("%s, %s, try %d: stuck; since the event kube-scheduler has tried it %v times, and asked winnow %v times; %s",
			t.way, kind.Name, try, t.attempts()-attempts, t.filterCalls()-asked, t.tells(name, event))
	}
	result.Add(waited, bound)
	t.remove(name)
	t.must(kind.After(stage, try))
}

func (t *T) fromNowOn(kind waiting.Kind, stage *waiting.Stage, try int, name string) (time.Duration, bool) {
	begin := time.Now()
	if kind.Helper != nil {
		defer kind.Helper(stage, try)()
	}
	if t.bound(name, stuckAfter) == "" {
		return 0, false
	}
	return max(0, t.Watch.BoundAt(name).Sub(begin)), true
}

// tells is what has become of the pod since, at how many seconds.
func (t *T) tells(pod string, since time.Time) (text string) {
	for _, step := range t.Watch.History(pod) {
		if step.At.After(since) {
			text += fmt.Sprintf("%+.3f %s; ", step.At.Sub(since).Seconds(), step.What)
		}
	}
	return text
}

// judgeWaits checks the promises, and prints the table.
func (t *T) judgeWaits(condition string, kinds []waiting.Kind, sides []side, found *results[measure.Waits]) {
	fmt.Println(measure.Head([]string{"condition", "event", "way"},
		[]string{"tries", "stuck", "median s", "max s", "in-tree: stuck", "median s", "max s"}))
	for _, kind := range kinds {
		found.each(kind.Name, sides, func(s side, mine, inTree *measure.Waits) {
			cells := append([]string{condition, kind.Name, s.name, fmt.Sprint(mine.Tries())}, mine.Cells()...)
			fmt.Println(measure.Row(append(cells, inTree.Cells()...)...))
			where := fmt.Sprintf("%s, %s, %s", condition, kind.Name, s.name)
			t.check(mine.Stuck == 0, "%s: %d of %d pods still wait %v after the event", where, mine.Stuck, mine.Tries(), stuckAfter)
			if inTree != nil {
				t.check(mine.Max() <= inTree.Max()+longerThanInTree, "%s: a pod waits %v, in-tree's %v at most",
					where, mine.Max(), inTree.Max())
			}
		})
	}
}
