package measure

import (
	"fmt"
	"time"
)

// Evictions is what became of pods of high priority, and of those that gave way.
type Evictions struct {
	Times   []time.Duration // From the pod's creation to its node, where it has one.
	Victims []int           // Of each try.
	InVain  int             // Tries in which somebody went and the pod has no node.
	Wrong   int             // Tries in which somebody went who must not.
}

// Add counts a try.
func (e *Evictions) Add(took time.Duration, bound bool, victims int, wrong bool) {
	e.Victims = append(e.Victims, victims)
	if bound {
		e.Times = append(e.Times, took)
	} else if victims > 0 {
		e.InVain++
	}
	if wrong {
		e.Wrong++
	}
}

// Tries that were made.
func (e *Evictions) Tries() int { return len(e.Victims) }

// Bound is how many got a node.
func (e *Evictions) Bound() int { return len(e.Times) }

// Cells are the columns of a table: bound, median and most victims, median seconds.
func (e *Evictions) Cells() []string {
	if e == nil {
		return []string{"", "", "", ""}
	}
	return []string{fmt.Sprint(e.Bound()), fmt.Sprint(Median(e.Victims)), fmt.Sprint(Max(e.Victims)), Seconds(Median(e.Times))}
}
