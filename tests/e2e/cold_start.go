package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// coldStart: how long Winnow takes to know a cluster of 5,000 nodes and 150,000 pods, what it takes to hold it, and
// how long after an event the next request sees it. It measures; what it checks is that Winnow ends with every node
// and pod.
func coldStart(t *T) {
	const nodes, podsOfNode = 5000, 30
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(nodes, 3, cluster.Allocatable("32", "256Gi", "110"))))
	begin := time.Now()
	for round := range podsOfNode {
		var pods []*v1.Pod
		for i := range nodes {
			app := fmt.Sprintf("app-%d", (i*7+round)%300)
			pods = append(pods, cluster.Pod(fmt.Sprintf("%s-%d-%d", app, round, i), cluster.Requests("100m", "200Mi"),
				cluster.Labelled("app", app), cluster.On(fmt.Sprintf("node-%04d", i))))
		}
		t.add(pods...)
	}
	t.note("%d pods made in %.0f s", nodes*podsOfNode, time.Since(begin).Seconds())

	t.grant()
	begin = time.Now()
	t.startWinnow(today)
	ready := time.Since(begin)
	seen := int(t.metric("winnow_state_pods"))
	t.check(seen == nodes*podsOfNode, "Winnow should know %d pods, it knows %d", nodes*podsOfNode, seen)
	resident := t.metric("process_resident_memory_bytes")
	peak := t.Winnow.PeakMemory()
	t.note("ready after %.1f s (%.1f s of processor time); %.0f MB resident, %.0f bytes a pod; at most %.0f MB on the way, %.2f times",
		ready.Seconds(), t.Winnow.CPU().Seconds(), resident/1e6, resident/float64(nodes*podsOfNode), peak/1e6, peak/resident)
	t.eventsSeen()
}

// eventsSeen fills nodes one after another, and asks until the answer says so.
func (t *T) eventsSeen() {
	const events = 500
	var delays []time.Duration
	for i := range events {
		name := fmt.Sprintf("node-%04d", i)
		question := fmt.Sprintf(`{"Pod":{"metadata":{"name":"asks","namespace":"default","uid":"asks"},"spec":{"containers":[
			{"name":"c","resources":{"requests":{"cpu":"20"}}}]}},"NodeNames":[%q]}`, name)
		t.add(cluster.Pod("fills-"+name, cluster.Requests("20", "1Gi"), cluster.On(name)))
		made := time.Now()
		for fits := true; fits; {
			_, answer, err := bed.Post(t.Winnow.URL+"/filter", question)
			t.must(err)
			fits = len(answer) > 0 && !strings.Contains(answer, "Insufficient cpu")
		}
		delays = append(delays, time.Since(made))
	}
	slices.Sort(delays)
	t.note("from the API server's word that a pod is made to a filter call that counts it: p50 %.2f ms, p99 %.2f ms, max %.2f ms",
		milliseconds(delays[events/2]), milliseconds(delays[events*99/100]), milliseconds(delays[events-1]))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// metric is the sum of Winnow's series of a name whose labels contain all of the texts.
func (t *T) metric(name string, labels ...string) float64 {
	sum, err := bed.Metric(t.Winnow.URL, name, labels...)
	t.must(err)
	return sum
}
