package main

import (
	"fmt"
	"slices"
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
	t.some("kinds", len(cases))
	t.some("sides", len(sides))
	found := &results[measure.Evictions]{}
	inWorlds(t, cases, func(t *T, cases []evictions.Case) {
		t.lagging(c.lag)
		for _, s := range sides {
			t.within(func() {
				t.startSide(s)
				for _, one := range cases {
					if s.inTree() || asked(s, one) {
						found.put(one.Name, s, t.evicts(s, one, c))
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
		all := cluster.Until(10*time.Second, func() bool {
			return t.Watch.Bound() == len(one.Low) && len(t.Watch.All()) == len(one.Low)
		})
		t.check(all, "%s, %s: there should be %d pods, there are %v", s.name, one.Name, len(one.Low), t.names())
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
