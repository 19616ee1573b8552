package main

import (
	"strings"
	"testing"

	"winnow.test/scheduler_perf/setup"
)

func TestThroughputIsUpstreamsAverage(t *testing.T) {
	const one = `{"data": {"Average": 320.5, "Perc50": 300}, "unit": "pods/s", "labels": {"Metric": "SchedulingThroughput", "Name": "a"}}`
	const other = `{"data": {"Average": 2.5}, "unit": "ms", "labels": {"Metric": "scheduler_scheduling_attempt_duration_seconds"}}`
	const empty = `{"data": null, "labels": {"Name": "a"}}`
	for _, row := range []struct {
		what, items string
		want        float64
		wrong       bool
	}{
		{"one", other + "," + one, 320.5, false},
		{"none, as upstream writes where it was too quick", other + "," + empty, 0, false},
		{"two", one + "," + one, 0, true},
	} {
		got, err := throughputIn([]byte(`{"version": "v1", "dataItems": [` + row.items + `]}`))
		if got != row.want || (err != nil) != row.wrong {
			t.Errorf("%s: %v, %v", row.what, got, err)
		}
	}
}

func TestFiguresAreOfAPod(t *testing.T) {
	f := figuresOf(100, setup.Result{Seconds: 10, Pods: 1000, Cycle: 4, Upstream: 6, Etcd: 1, Winnow: 1, Machine: 13, Nominated: 50, Followed: 40})
	want := figures{Speed: 100, Cycle: 4, Upstream: 6, Etcd: 1, Winnow: 1, Followed: 80, Others: 0.5}
	if f != want {
		t.Errorf("%+v", f)
	}
	if quick := figuresOf(0, setup.Result{Seconds: 2, Pods: 100}); quick.Speed != 50 {
		t.Errorf("%+v", quick)
	}
	base := figures{Speed: 50, Cycle: 8, Upstream: 3, Etcd: 1}
	if r := f.over(base); r != (ratios{2, 0.5, 2}) {
		t.Errorf("%+v", r)
	}
}

func TestMediansStandByWorkload(t *testing.T) {
	var all table
	for _, speed := range []float64{30, 10, 20} {
		for _, row := range []string{"A | 5, 5 | in-tree", "A | 5, 5 | best", "B | 5, 5 | in-tree"} {
			all.add(row, figures{Speed: speed})
		}
		if speed == 30 {
			all.add("A | 5, 5 | late", figures{Speed: speed})
		}
	}
	var out strings.Builder
	all.medians(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")[2:]
	want := []string{"| A | 5, 5 | in-tree | 20 |", "| A | 5, 5 | best | 20 |", "| A | 5, 5 | late | 30 |", "| B | 5, 5 | in-tree | 20 |"}
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("%s instead of %s", lines[i], want[i])
		}
	}
	if even := medianOf([]figures{{Speed: 1}, {Speed: 4}}); even.Speed != 2.5 {
		t.Errorf("%v", even)
	}
}
