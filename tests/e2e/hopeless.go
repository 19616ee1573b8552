package main

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/measure"
)

const (
	hopelessNodes = 100
	hopelessPods  = 300
	hopelessTurns = 5
	hopelessTime  = 8 * time.Second        // Of each turn.
	hopelessBeat  = 200 * time.Millisecond // Between two events.

	// What waiting for the watch may cost of a cycle is 1.05; two cores with five programs on them measure no finer than
	// this.
	hopelessLimit = 1.10
)

// hopeless: pods that fit nowhere are woken again and again by a steady stream of events. That Winnow makes sure of its
// picture before it refuses them must not hold up kube-scheduler, whose cycles come one after another: measured with
// --catch-up=0s and without, in turns.
func hopeless(t *T) {
	if way, lag, found := strings.Cut(t.way, ", "); found {
		t.lagging(conditions[lag].lag)
		t.way = way
	}
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(hopelessNodes, 4, cluster.Allocatable("32", "64Gi", "1000"))))
	t.add(cluster.Pods("hopeless", hopelessPods, cluster.NodeSelector("gpu", "yes"))...)
	var with, without turns
	for range hopelessTurns {
		t.within(func() { t.wakes(&without, "--catch-up", "0s") })
		t.within(func() { t.wakes(&with) })
	}
	t.note("%s", measure.Head([]string{"way"}, []string{"cycles", "cycle ms, median of turns", "turns", "feasible pods: median s", "max s"}))
	t.note("%s", without.row(t.way+", --catch-up=0s"))
	t.note("%s", with.row(t.way))
	ratio := measure.Median(with.cycle) / measure.Median(without.cycle)
	t.note("a cycle takes %.3f times as long when Winnow catches up", ratio)
	t.check(ratio <= hopelessLimit, "a cycle takes %.3f times as long when Winnow catches up, more than %v", ratio, hopelessLimit)
}

// turns of one kind.
type turns struct {
	cycle []float64 // Milliseconds, each turn's mean.
	count float64
	bound measure.Waits // Of the pods that fit.
}

func (w *turns) row(name string) string {
	var all []string
	for _, cycle := range w.cycle {
		all = append(all, fmt.Sprintf("%.2f", cycle))
	}
	return measure.Row(append([]string{name, fmt.Sprint(w.count), fmt.Sprintf("%.2f", measure.Median(w.cycle)),
		strings.Join(all, " ")}, w.bound.Cells()[1:]...)...)
}

// wakes is one turn: everything is started, all pods are refused once, and then comes the stream.
func (t *T) wakes(found *turns, flags ...string) {
	t.start(today, flags...)
	t.check(cluster.Until(time.Minute, func() bool { return t.attempts() >= hopelessPods }),
		"kube-scheduler has tried %v of %d pods in a minute", t.attempts(), hopelessPods)
	before := t.figures()
	t.stream(found)
	after := t.figures()
	found.cycle = append(found.cycle, (after.seconds-before.seconds)/(after.cycles-before.cycles)*1000)
	found.count += after.cycles - before.cycles
}

// stream makes an event each beat: a pod that somebody bound, a node's label, and a pod that fits, in turn.
func (t *T) stream(found *turns) {
	var fit []*v1.Pod
	beat := time.NewTicker(hopelessBeat)
	defer beat.Stop()
	for end, turn := time.Now().Add(hopelessTime), 0; time.Now().Before(end); turn++ {
		<-beat.C
		t.turn++
		node := fmt.Sprintf("node-%04d", t.turn%hopelessNodes)
		switch turn % 3 {
		case 0:
			t.add(cluster.Pod(fmt.Sprintf("elsewhere-%d", t.turn), cluster.On(node)))
		case 1:
			change := fmt.Sprintf(`{"metadata":{"labels":{"beat":"%d"}}}`, t.turn)
			t.must(t.patchNode(node, change))
		case 2:
			pod := cluster.Pod(fmt.Sprintf("fits-%d", t.turn), cluster.Requests("10m", "10Mi"))
			t.add(pod)
			fit = append(fit, pod)
		}
	}
	for _, pod := range fit {
		bound := t.check(t.bound(pod.Name, 10*time.Second) != "", "a pod that fits is not bound: %s", t.history(pod.Name))
		found.bound.Add(t.Watch.BoundAt(pod.Name).Sub(t.Watch.History(pod.Name)[0].At), bound)
	}
}

func (t *T) patchNode(name, change string) error {
	_, err := t.Client.CoreV1().Nodes().Patch(t.Ctx, name, types.MergePatchType, []byte(change), meta.PatchOptions{})
	return err
}
