package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"winnow.test/scheduler_perf/setup"
)

// throughput is what upstream has measured, in pods a second: its file of data items has it. 0: all pods were placed within
// its first sample, a second or two.
func throughput(folder string) (float64, error) {
	files, err := filepath.Glob(filepath.Join(folder, "BenchmarkPerfScheduling_*.json"))
	if err != nil || len(files) != 1 {
		return 0, fmt.Errorf("%s: upstream has written %d files of data, not one", folder, len(files))
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return 0, err
	}
	return throughputIn(text)
}

func throughputIn(text []byte) (float64, error) {
	var all struct {
		DataItems []struct {
			Data   map[string]float64
			Labels map[string]string
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return 0, err
	}
	var found []float64
	for _, item := range all.DataItems {
		if average, ok := item.Data["Average"]; ok && item.Labels["Metric"] == "SchedulingThroughput" {
			found = append(found, average)
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	if len(found) > 1 {
		return 0, fmt.Errorf("upstream has measured %d throughputs, not one", len(found))
	}
	return found[0], nil
}

// figures of one measurement. Times are milliseconds.
type figures struct {
	Speed    float64 // Upstream's: the mean of each second's pods.
	Cycle    float64 // The mean of kube-scheduler's own scheduling_algorithm_duration.
	Upstream float64 // CPU a pod, as the next two.
	Winnow   float64
	Etcd     float64
	Followed float64 // Of 100 nominations.
	Others   float64 // Cores that other programs of the machine used meanwhile.
	Ratios   ratios
}

// ratios to in-tree, of the same turn.
type ratios struct{ Speed, Cycle, CPU float64 }

func figuresOf(speed float64, r setup.Result) figures {
	each := func(seconds float64) float64 { return seconds * 1000 / r.Pods }
	f := figures{Speed: speed, Cycle: each(r.Cycle), Upstream: each(r.Upstream), Winnow: each(r.Winnow), Etcd: each(r.Etcd)}
	f.Others = max(0, (r.Machine-r.Upstream-r.Winnow-r.Etcd)/r.Seconds)
	if speed == 0 {
		f.Speed = r.Pods / r.Seconds
	}
	if r.Nominated > 0 {
		f.Followed = r.Followed * 100 / r.Nominated
	}
	return f
}

func (f figures) cpu() float64 { return f.Upstream + f.Winnow + f.Etcd }

func (f figures) over(base figures) ratios {
	return ratios{f.Speed / base.Speed, f.Cycle / base.Cycle, f.cpu() / base.cpu()}
}

// table has the figures of all turns, by row: a workload and a way.
type table struct {
	rows []string
	of   map[string][]figures
}

func (t *table) add(row string, f figures) {
	if t.of == nil {
		t.of = map[string][]figures{}
	}
	if t.of[row] == nil {
		t.rows = append(t.rows, row)
	}
	t.of[row] = append(t.of[row], f)
}

const head = "| workload | nodes, pods | way | pods a second | cycle, ms | CPU ms a pod: upstream's process + etcd + winnow | followed, % | " +
	"other programs, cores | over in-tree: pods a second; cycle; CPU |\n|---|---|---|--:|--:|--:|--:|--:|--:|\n"

func line(row string, f figures) string {
	followed := ""
	if f.Followed > 0 {
		followed = fmt.Sprintf("%.0f", f.Followed)
	}
	return fmt.Sprintf("| %s | %.0f | %.2f | %.2f + %.2f + %.2f | %s | %.1f | %.2f; %.2f; %.2f |\n", row, f.Speed, f.Cycle, f.Upstream,
		f.Etcd, f.Winnow, followed, f.Others, f.Ratios.Speed, f.Ratios.Cycle, f.Ratios.CPU)
}

// medians of the turns: each figure's own, ratios too. Rows of one workload stand together.
func (t *table) medians(out io.Writer) {
	rows := slices.Clone(t.rows)
	order := map[string]int{}
	for i, row := range rows {
		if workload, _, _ := strings.Cut(row, " | "); order[workload] == 0 {
			order[workload] = i + 1
		}
	}
	place := func(row string) int { workload, _, _ := strings.Cut(row, " | "); return order[workload] }
	slices.SortStableFunc(rows, func(a, b string) int { return place(a) - place(b) })
	io.WriteString(out, head)
	for _, row := range rows {
		io.WriteString(out, line(row, medianOf(t.of[row])))
	}
}

func medianOf(all []figures) (middle figures) {
	for i, field := range middle.fields() {
		var values []float64
		for _, f := range all {
			values = append(values, *f.fields()[i])
		}
		slices.Sort(values)
		*field = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	}
	return middle
}

func (f *figures) fields() []*float64 {
	return []*float64{&f.Speed, &f.Cycle, &f.Upstream, &f.Winnow, &f.Etcd, &f.Followed, &f.Others, &f.Ratios.Speed, &f.Ratios.Cycle,
		&f.Ratios.CPU}
}
