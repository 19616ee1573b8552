package main

import (
	"fmt"
	"slices"
	"time"
)

// condition is what a scenario runs beside or behind.
type condition struct {
	busy int           // Endless loops beside all else.
	lag  time.Duration // Winnow hears from the API servers so much later than kube-scheduler.
}

var conditions = map[string]condition{
	"idle":    {},
	"busy":    {busy: 4},
	"lag-5":   {lag: 5 * time.Millisecond},
	"lag-20":  {lag: 20 * time.Millisecond},
	"lag-100": {lag: 100 * time.Millisecond},
	"lag-400": {lag: 400 * time.Millisecond}, // Later than --catch-up.
}

var (
	allConditions = []string{"idle", "busy", "lag-5", "lag-20", "lag-100"}
	oneCondition  = []string{"lag-20"}
)

// side is one of those that are compared in a run: a way, and Winnow's rules in it.
type side struct {
	name, way, rules string
	flags            []string
}

func (s side) inTree() bool { return s.way == "in-tree" }

var inTreeSide = side{name: "in-tree", way: "in-tree"}

// sides are those that were asked for; in-tree comes first, the others are compared with it.
func (t *T) sides(others ...side) (sides []side) {
	for _, s := range append([]side{inTreeSide}, others...) {
		if chosen(t.options.sides, s.name) {
			sides = append(sides, s)
		}
	}
	return sides
}

// under brings the scenario under the condition that its way names. The lag is each bed's own: see lagging.
func (t *T) under() condition {
	c, known := conditions[t.way]
	if !known {
		t.must(fmt.Errorf("there is no condition %q", t.way))
	}
	end, err := t.Busy(c.busy)
	t.must(err)
	t.later(end)
	return c
}

// lagging has Winnow hear late in this bed.
func (t *T) lagging(lag time.Duration) {
	if lag == 0 {
		return
	}
	undo, err := t.HoldBack(lag)
	t.must(err)
	t.later(undo)
}

// startSide brings up kube-scheduler, and Winnow, as the side wants them.
func (t *T) startSide(s side) {
	t.way = s.way
	t.start(s.rules, slices.Concat(s.flags, t.options.flags)...)
}

// restful is long enough for all pictures to be the same.
func (c condition) restful() time.Duration {
	rest := 200*time.Millisecond + 2*c.lag
	if c.busy > 0 {
		rest += 300 * time.Millisecond
	}
	return rest
}
