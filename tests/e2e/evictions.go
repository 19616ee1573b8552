package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/evictions"
	"winnow.test/e2e/measure"
)

// evictedFor: a pod of high priority fits nowhere, and evictions on one node make room for it. Whatever in-tree does is
// right; nobody is evicted beyond that, or in vain.
func evictedFor(t *T) {
	c := t.under()
	condition, cases, sides := t.way, t.evictionCases(), t.sides(t.evicting()...)
	found := &victims{of: map[string]*measure.Evictions{}}
	inWorlds(t, cases, func(t *T, cases []evictions.Case) {
		t.lagging(c.lag)
		for _, s := range sides {
			t.within(func() {
				t.startSide(s)
				for _, one := range cases {
					if s.inTree() || asked(s, one) {
						found.put(one.Name, s.name, t.evicts(s, one, c))
					}
				}
			})
		}
	})
	t.judgeVictims(condition, cases, sides, found)
}

func (t *T) evictionCases() []evictions.Case {
	if t.options.short {
		return evictions.Telling()
	}
	return slices.DeleteFunc(evictions.All(), func(one evictions.Case) bool { return !chosen(t.options.kinds, one.Name) })
}

// evicts plays a case's tries. What was evicted is put back for the next one.
func (t *T) evicts(s side, one evictions.Case, c condition) *measure.Evictions {
	t.must(t.Clear(t.Ctx))
	t.must(t.AddNodes(t.Ctx, one.Nodes))
	t.must(one.Prepare(&evictions.Stage{Cluster: t.Cluster, Ctx: t.Ctx}))
	result := &measure.Evictions{}
	for range t.triesOf(s, one) {
		t.add(one.Low...) // Those that are there stay.
		cluster.Until(10*time.Second, func() bool { return t.Watch.Bound() == len(one.Low) && len(t.Watch.All()) == len(one.Low) })
		time.Sleep(c.restful())
		t.evictsOnce(s, one, c, result)
	}
	return result
}

func (t *T) evictsOnce(s side, one evictions.Case, c condition, result *measure.Evictions) {
	t.turn++
	name := fmt.Sprintf("high-%d", t.turn)
	before, attempts, begin := t.names(), t.attempts(), time.Now()
	t.add(one.High(name))
	var out measure.Outcome
	cluster.Until(patience(s, one), func() bool {
		out.Bound = t.Watch.NodeOf(name) != ""
		out.Forgotten = !out.Bound && time.Since(begin) > forgottenAfter && len(t.gone(before)) >= len(one.Needs) &&
			t.attempts() == attempts+1
		return out.Bound || out.Forgotten
	})
	time.Sleep(c.restful()) // Whoever is still to go goes now.
	gone := t.gone(before)
	out.Took, out.Victims, out.Wrong = t.Watch.BoundAt(name).Sub(begin), len(gone), t.wronglyGone(one, gone)
	pending := !out.Bound && !out.Forgotten && (promised(s, one) || len(gone) > 0)
	if pending || len(gone) > len(one.Needs) || out.Wrong {
		t.note("%s, %s: evicted %v: %s", s.name, one.Name, gone, t.tells(name, begin))
	}
	result.Add(out)
	t.remove(name)
}

// forgottenAfter is when a pod that has been tried once, and whose victims have all gone, will not be tried again.
// kube-scheduler 1.37 deletes victims beside its cycles, and does not look at the pod meanwhile. It does after the last
// one's deletion, unless the filter that refused the pod has nothing to do with that one: of two needs, the filter that
// speaks first. Nothing happens then before the next event that the filter waits for.
const forgottenAfter = 1500 * time.Millisecond

// attempts is how often kube-scheduler has tried a pod.
func (t *T) attempts() float64 {
	count, err := bed.Metric(t.Scheduler.URL, "scheduler_schedule_attempts_total")
	t.must(err)
	return count
}

func (t *T) wronglyGone(one evictions.Case, gone []string) bool {
	return one.Spared != nil && slices.ContainsFunc(gone, func(victim string) bool { return one.Spared(victim) != "" })
}

// Where nobody is promised to go, pods stay pending: fewer tries, and just long enough to see that nobody goes.
func (t *T) triesOf(s side, one evictions.Case) int {
	if promised(s, one) {
		return t.options.tries
	}
	return (t.options.tries + 4) / 5
}

func patience(s side, one evictions.Case) time.Duration {
	if promised(s, one) {
		return stuckAfter
	}
	return 2 * time.Second
}

// victims of all cases and sides; worlds put them in at the same time.
type victims struct {
	mutex sync.Mutex
	of    map[string]*measure.Evictions
}

func (v *victims) put(name, side string, found *measure.Evictions) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.of[name+"/"+side] = found
}

// judgeVictims checks the promises, and prints the table.
func (t *T) judgeVictims(condition string, cases []evictions.Case, sides []side, found *victims) {
	fmt.Println(measure.Head([]string{"condition", "kept out by", "way/rules"},
		slices.Concat([]string{"tries"}, measure.Columns, []string{"in-tree: " + measure.Columns[0]}, measure.Columns[1:])))
	for _, one := range cases {
		inTree := found.of[one.Name+"/in-tree"]
		for _, s := range sides {
			mine := found.of[one.Name+"/"+s.name]
			if mine == nil || s.inTree() && len(sides) > 1 {
				continue
			}
			cells := append([]string{condition, one.Name, s.name, fmt.Sprint(mine.Tries())}, mine.Cells()...)
			fmt.Println(measure.Row(append(cells, inTree.Cells()...)...))
			t.noneInVain(fmt.Sprintf("%s, %s, %s", condition, one.Name, s.name), promised(s, one), mine, inTree)
		}
	}
}

func (t *T) noneInVain(where string, promised bool, mine, inTree *measure.Evictions) {
	t.check(mine.InVain == 0, "%s: in %d of %d tries pods were evicted, and the pod has no node", where, mine.InVain, mine.Tries())
	t.check(mine.Wrong == 0, "%s: in %d of %d tries the wrong pod was evicted", where, mine.Wrong, mine.Tries())
	if inTree == nil {
		return
	}
	most := measure.Max(inTree.Victims)
	t.check(measure.Max(mine.Victims) <= most, "%s: %d victims, in-tree has %d", where, measure.Max(mine.Victims), most)
	if promised {
		t.check(mine.Pending() <= inTree.Pending(), "%s: %d of %d pods stay pending, in-tree %d of %d", where,
			mine.Pending(), mine.Tries(), inTree.Pending(), inTree.Tries())
	}
}
