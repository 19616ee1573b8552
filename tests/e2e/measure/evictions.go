package measure

import (
	"fmt"
	"time"
)

// Evictions is what became of pods of high priority, and of those that gave way.
type Evictions struct {
	Times     []time.Duration // From the pod's creation to its node, where it has one.
	Victims   []int           // Of each try.
	Forgotten int             // Tries in which the victims went, and kube-scheduler never looked at the pod again.
	InVain    int             // Other tries in which somebody went and the pod has no node.
	Wrong     int             // Tries in which somebody went who must not.
}

// Outcome of one try.
type Outcome struct {
	Bound, Forgotten, Wrong bool
	Took                    time.Duration
	Victims                 int
}

// Add counts a try.
func (e *Evictions) Add(o Outcome) {
	e.Victims = append(e.Victims, o.Victims)
	switch {
	case o.Bound:
		e.Times = append(e.Times, o.Took)
	case o.Forgotten:
		e.Forgotten++
	case o.Victims > 0:
		e.InVain++
	}
	if o.Wrong {
		e.Wrong++
	}
}

// Tries that were made.
func (e *Evictions) Tries() int { return len(e.Victims) }

// Bound is how many got a node.
func (e *Evictions) Bound() int { return len(e.Times) }

// Pending is how many did not, although kube-scheduler looked again.
func (e *Evictions) Pending() int { return e.Tries() - e.Bound() - e.Forgotten }

// Columns of Cells.
var Columns = []string{"bound", "forgotten", "victims", "most", "median s"}

// Cells are the columns of a table.
func (e *Evictions) Cells() []string {
	if e == nil {
		return make([]string, len(Columns))
	}
	return []string{fmt.Sprint(e.Bound()), fmt.Sprint(e.Forgotten), fmt.Sprint(Median(e.Victims)), fmt.Sprint(Max(e.Victims)),
		Seconds(Median(e.Times))}
}
