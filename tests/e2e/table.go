package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/extender"

	wire "k8s.io/kube-scheduler/extender/v1"
)

var tableWays = []string{inTreeSampled, "in-tree", "scores", "everything, all nodes", "everything", "best, all nodes", "best",
	bindingWay, "best, no filters", "no-op", "nominate", gatedWay}

// inTreeSampled is what the ratios are to: kube-scheduler alone, with its default sample of nodes.
const inTreeSampled = "in-tree, sampled"

const tableHead = "| way | nodes | pods | pods a second | cycle, ms | kube-scheduler, CPU ms | winnow | API servers and etcd | " +
	"followed, % | ratios: cycle, pods a second, CPU of both, CPU of API servers and etcd |\n" +
	"|---|--:|---|--:|--:|--:|--:|--:|--:|---|"

// table measures one way: how fast pods are bound, the time of a scheduling cycle, and the CPU for each pod by process.
// Where Winnow nominates it also has the share of pods that went where they were nominated. It prints a part of a Markdown
// table. Behind the figures stand the ratios to kube-scheduler alone with its default sample, of the same run and turn.
func table(t *T) {
	if len(tableRows) == 0 {
		fmt.Println(tableHead)
	}
	sizes := []int{1000, 5000}
	if t.options.nodes > 0 {
		sizes = []int{t.options.nodes}
	}
	for _, nodes := range sizes {
		t.must(t.Clear(t.Ctx))
		t.must(t.AddNodes(t.Ctx, cluster.Nodes(nodes, 10, cluster.Allocatable("32", "64Gi", "110"))))
		t.within(func() {
			t.startMeasured()
			t.measure(nodes, "", 100) // Warms up.
			for _, kind := range []string{"plain", "spread", "anti-affinity", "preferred"} {
				if chosen(t.options.kinds, kind) {
					t.measure(nodes, kind, 400)
				}
			}
		})
	}
}

// startMeasured knows two ways more: kube-scheduler alone with its default sample of nodes, and what
// kube-scheduler-best.yaml costs with an extender that only says the first name.
func (t *T) startMeasured() {
	switch t.way {
	case inTreeSampled:
		t.startScheduler(strings.Replace(inTree, "percentageOfNodesToScore: 100", "percentageOfNodesToScore: 0", 1), "")
	case "no-op":
		turn := 0
		e := &extender.Extender{Forget: true, Filter: func(_ *v1.Pod, nodes []string) *wire.ExtenderFilterResult {
			turn++
			return extender.Pass(nodes[turn%len(nodes):][:1], nil, "")
		}}
		t.must(e.Start())
		t.later(e.Stop)
		configuration := t.read(t.manifest("kube-scheduler-best.yaml")) + "\npercentageOfNodesToScore: 100\n"
		t.startScheduler(configuration, e.URL)
	default:
		t.start(today)
	}
}

type figures struct {
	cycles, seconds         float64
	followed                float64 // Nominations; 0 where there are none.
	scheduler, winnow, rest time.Duration
}

func (t *T) figures() (f figures) {
	var err error
	f.seconds, err = bed.Metric(t.Scheduler.URL, "scheduler_scheduling_algorithm_duration_seconds_sum")
	t.must(err)
	f.cycles, err = bed.Metric(t.Scheduler.URL, "scheduler_scheduling_algorithm_duration_seconds_count")
	t.must(err)
	f.scheduler = t.Scheduler.CPU()
	if t.Winnow != nil {
		f.winnow = t.Winnow.CPU()
	}
	if ways[t.way].nominates() {
		f.followed = t.metric("winnow_nominations_total", `outcome="followed"`)
	}
	f.rest = t.Etcd.CPU()
	for _, server := range t.Servers {
		f.rest += server.CPU()
	}
	return f
}

func (t *T) measure(nodes int, kind string, count int) {
	before, bound := t.figures(), t.Watch.Bound()
	var pods []*v1.Pod
	for i := range count {
		pod := cluster.Pod(fmt.Sprintf("p%d%s-%d", nodes, kind, i), kindOf(kind, fmt.Sprint(i%10))...)
		t.gateOfWay(pod)
		pods = append(pods, pod)
	}
	begin := time.Now()
	t.add(pods...)
	t.allBound(bound+count, 3*time.Minute)
	speed := float64(count) / time.Since(begin).Seconds()
	after := t.figures()
	if kind == "" {
		return
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(count) }
	row := measured{
		cycle:     (after.seconds - before.seconds) / (after.cycles - before.cycles) * 1000,
		speed:     speed,
		scheduler: each(after.scheduler - before.scheduler),
		winnow:    each(after.winnow - before.winnow),
		rest:      each(after.rest - before.rest),
		followed:  (after.followed - before.followed) / float64(count) * 100,
	}
	row.compare(t.way, fmt.Sprint(nodes, kind))
	name := fmt.Sprintf("%s | %d | %s", t.way, nodes, kind)
	if tableRows[name] == nil {
		tableNames = append(tableNames, name)
	}
	tableRows[name] = append(tableRows[name], row)
	row.print(name)
}

// measured is what a row of the table says.
type measured struct {
	cycle, speed, scheduler, winnow, rest, followed float64
	ratios                                          [4]float64 // To inTreeSampled; 0 where that was not measured before.
}

// fields of a row, in the order of the table.
func (m *measured) fields() []*float64 {
	all := []*float64{&m.speed, &m.cycle, &m.scheduler, &m.winnow, &m.rest, &m.followed}
	for i := range m.ratios {
		all = append(all, &m.ratios[i])
	}
	return all
}

var (
	tableRows   = map[string][]measured{} // By way, nodes and kind: one of each turn.
	tableNames  []string                  // Their order.
	sampledRows = map[string]measured{}   // The last of inTreeSampled, by nodes and kind.
)

// compare sets the ratios.
func (m *measured) compare(way, row string) {
	if way == inTreeSampled {
		sampledRows[row] = *m
	}
	if base, known := sampledRows[row]; known {
		m.ratios = [4]float64{m.cycle / base.cycle, m.speed / base.speed,
			(m.scheduler + m.winnow) / (base.scheduler + base.winnow), m.rest / base.rest}
	}
}

func (m *measured) print(name string) {
	followed, ratios := "", ""
	if way, _, _ := strings.Cut(name, " | "); ways[way].nominates() {
		followed = fmt.Sprintf("%.0f", m.followed)
	}
	if m.ratios[0] > 0 {
		ratios = fmt.Sprintf("%.2f, %.2f, %.2f, %.2f", m.ratios[0], m.ratios[1], m.ratios[2], m.ratios[3])
	}
	fmt.Printf("| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %s | %s |\n", name, m.speed, m.cycle, m.scheduler, m.winnow,
		m.rest, followed, ratios)
}

// printMedians of several turns: each figure's own, also of the ratios.
func printMedians(turns int) {
	if turns < 2 || len(tableNames) == 0 {
		return
	}
	fmt.Printf("=== medians of %d turns\n%s\n", turns, tableHead)
	for _, name := range tableNames {
		var middle measured
		for i, field := range middle.fields() {
			var all []float64
			for _, row := range tableRows[name] {
				all = append(all, *row.fields()[i])
			}
			slices.Sort(all)
			*field = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
		}
		middle.print(name)
	}
}

// kindOf the pod: one of ten applications.
func kindOf(kind, app string) []func(*v1.Pod) {
	edits := []func(*v1.Pod){cluster.Requests("100m", "100Mi")}
	switch kind {
	case "spread":
		edits = append(edits, cluster.Labelled("spread", app), cluster.Spread("spread", app, cluster.Zone, 5, v1.DoNotSchedule))
	case "anti-affinity":
		edits = append(edits, cluster.Labelled("apart", app), cluster.Apart("apart", app, cluster.Hostname))
	case "preferred":
		edits = append(edits, cluster.Labelled("rather", app), cluster.RatherApart("rather", app, cluster.Zone))
	}
	return edits
}
