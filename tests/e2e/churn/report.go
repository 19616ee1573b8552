package churn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"winnow.test/e2e/truth"
)

// Latency is the time from a pod's creation to its binding, as etcd shows both.
type Latency struct {
	Pods         int
	Middle, Tail time.Duration // p50, p99.
	Longest      time.Duration
}

// Latencies of pods that room was there for: in quiet seconds, and in those with trouble.
func Latencies(lives []truth.Life, trouble *Trouble) (quiet, faulty Latency) {
	var inQuiet, inTrouble []time.Duration
	for _, life := range lives {
		if kind := life.Pod.Labels["kind"]; life.Bound.IsZero() || kind == TooLarge || kind == "whale" {
			continue
		}
		took := life.Bound.Sub(life.Created)
		if trouble.During(life.Created, life.Bound) {
			inTrouble = append(inTrouble, took)
		} else {
			inQuiet = append(inQuiet, took)
		}
	}
	return latency(inQuiet), latency(inTrouble)
}

func latency(all []time.Duration) Latency {
	if len(all) == 0 {
		return Latency{}
	}
	slices.Sort(all)
	return Latency{len(all), all[len(all)/2], all[len(all)*99/100], all[len(all)-1]}
}

// String is for the table.
func (l Latency) String() string {
	return fmt.Sprintf("%s, %s, %s (%d pods)", short(l.Middle), short(l.Tail), short(l.Longest), l.Pods)
}

func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Counted gives faults by kind, in one line: those of fewer words are first.
func Counted(done map[string]int) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(done)) {
		all = append(all, fmt.Sprintf("%s %d", what, done[what]))
	}
	return strings.Join(all, ", ")
}

// Sum of faults whose names begin so.
func Sum(done map[string]int, prefix string) (sum int) {
	for what, count := range done {
		if strings.HasPrefix(what, prefix) {
			sum += count
		}
	}
	return sum
}
