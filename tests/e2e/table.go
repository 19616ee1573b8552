package main

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/extender"

	wire "k8s.io/kube-scheduler/extender/v1"
)

var tableWays = []string{"in-tree", inTreeSampled, "scores", "everything, all nodes", "everything", "best, all nodes", "best",
	"best, no filters", "no-op", "nominate", gatedWay}

// inTreeSampled is what the ratios are to: kube-scheduler alone, with its default sample of nodes.
const inTreeSampled = "in-tree, sampled"

// table measures one way: how fast pods are bound, the time of a scheduling cycle, and the CPU for each pod by process.
// Where Winnow nominates it also has the share of pods that went where they were nominated. It prints a part of a Markdown
// table. Behind the figures stand the ratios to kube-scheduler alone with its default sample, of the same run.
func table(t *T) {
	if t.way == tableWays[0] {
		fmt.Println("| way | nodes | pods | pods a second | cycle, ms | kube-scheduler, CPU ms | winnow | API servers and etcd | " +
			"followed, % | ratios: cycle, pods a second, CPU of both, CPU of API servers and etcd |")
		fmt.Println("|---|--:|---|--:|--:|--:|--:|--:|--:|---|")
	}
	for _, nodes := range []int{1000, 5000} {
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
		t.startScheduler(strings.Replace(configuration, "bindVerb: bind", "", 1), e.URL)
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
	followed := ""
	if ways[t.way].nominates() {
		followed = fmt.Sprintf("%.0f", (after.followed-before.followed)/float64(count)*100)
	}
	cycle := (after.seconds - before.seconds) / (after.cycles - before.cycles) * 1000
	scheduler, winnow := each(after.scheduler-before.scheduler), each(after.winnow-before.winnow)
	row := measured{cycle, speed, scheduler + winnow, each(after.rest - before.rest)}
	fmt.Printf("| %s | %d | %s | %.0f | %.2f | %.2f | %.2f | %.2f | %s | %s |\n", t.way, nodes, kind, speed, cycle,
		scheduler, winnow, row.rest, followed, row.against(t.way, fmt.Sprint(nodes, kind)))
}

// measured is what the ratios of a row are made of.
type measured struct{ cycle, speed, both, rest float64 }

// sampledRows are those of inTreeSampled, by nodes and kind.
var sampledRows = map[string]measured{}

// against gives the ratios to inTreeSampled; "" if that way was not measured before.
func (m measured) against(way, row string) string {
	if way == inTreeSampled {
		sampledRows[row] = m
	}
	base, known := sampledRows[row]
	if !known {
		return ""
	}
	return fmt.Sprintf("%.2f, %.2f, %.2f, %.2f", m.cycle/base.cycle, m.speed/base.speed, m.both/base.both, m.rest/base.rest)
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
