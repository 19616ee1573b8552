// Package churn keeps a cluster in motion and breaks it: pods and nodes that come and go, processes that are killed,
// networks that are cut. What comes of it is told as a table.
package churn

import (
	"sync"
	"time"
)

// Trouble knows when something was broken, or had just been.
type Trouble struct {
	mutex   sync.Mutex
	open    int
	from    time.Time // Of the trouble that there is, or was last.
	until   time.Time // Not before this is all well again.
	periods []period
}

type period struct{ from, until time.Time }

// Begin says that something breaks now.
func (t *Trouble) Begin() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	now := time.Now()
	if t.open == 0 && now.After(t.until) {
		t.keep()
		t.from = now
	}
	t.open++
}

// End says that it is whole again, and that it takes so long until that shows everywhere.
func (t *Trouble) End(settles time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.open--
	if until := time.Now().Add(settles); until.After(t.until) {
		t.until = until
	}
}

func (t *Trouble) keep() {
	if !t.from.IsZero() {
		t.periods = append(t.periods, period{t.from, t.until})
	}
}

// Since is the beginning of the trouble that there is now, or now itself.
func (t *Trouble) Since(now time.Time) time.Time {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.open > 0 || now.Before(t.until) {
		return t.from
	}
	return now
}

// During says whether there was trouble at any time between the two.
func (t *Trouble) During(from, until time.Time) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, p := range t.all() {
		if until.After(p.from) && from.Before(p.until) {
			return true
		}
	}
	return false
}

func (t *Trouble) all() []period {
	if t.from.IsZero() {
		return t.periods
	}
	last := period{t.from, t.until}
	if t.open > 0 {
		last.until = time.Now().Add(time.Hour)
	}
	return append(t.periods[:len(t.periods):len(t.periods)], last)
}

// Quiet is how much of the time between the two was without trouble.
func (t *Trouble) Quiet(from, until time.Time) time.Duration {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	quiet := until.Sub(from)
	for _, p := range t.all() {
		begin, end := p.from, p.until
		if end.After(until) {
			end = until
		}
		if end.After(begin) {
			quiet -= end.Sub(begin)
		}
	}
	return max(0, quiet)
}
