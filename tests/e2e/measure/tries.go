// Package measure counts what tries came to, and prints it beside what in-tree came to.
package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Waits is how long the pods of some tries waited.
type Waits struct {
	Times []time.Duration // Of those that were bound.
	Stuck int             // The others.
}

// Add counts a try.
func (w *Waits) Add(waited time.Duration, bound bool) {
	if bound {
		w.Times = append(w.Times, waited)
	} else {
		w.Stuck++
	}
}

// Tries that were made.
func (w *Waits) Tries() int { return len(w.Times) + w.Stuck }

// Max is the longest wait that ended, 0 if none did.
func (w *Waits) Max() time.Duration { return Max(w.Times) }

// Cells are the columns of a table: stuck, median and maximum in seconds.
func (w *Waits) Cells() []string {
	if w == nil {
		return []string{"", "", ""}
	}
	return []string{fmt.Sprint(w.Stuck), Seconds(Median(w.Times)), Seconds(w.Max())}
}

// Seconds with two digits behind the point.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

// Median of the values, the upper one of two; 0 of none.
func Median[T int | float64 | time.Duration](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// Max of the values, 0 of none.
func Max[T int | float64 | time.Duration](values []T) T {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values)
}

// Row is a line of a Markdown table.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// Head is the two lines above the rows: names are aligned left, figures right.
func Head(names, figures []string) string {
	rule := "|" + strings.Repeat("---|", len(names)) + strings.Repeat("--:|", len(figures))
	return Row(append(slices.Clone(names), figures...)...) + "\n" + rule
}
