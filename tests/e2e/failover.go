package main

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// failover: each API server is killed once under load and comes back. No pod is lost, none is bound twice, and in the
// end Winnow's picture is the cluster. kube-scheduler and this program reach the servers by a balancer; Winnow
// chooses for itself.
func failover(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(100, 4)))
	t.start(today)
	looks := t.look()
	load := t.load("load", 40)
	t.killServersInTurn()
	made := load()
	t.allBound(made, 60*time.Second)
	_, broken := looks()
	t.promises(broken)
	t.pictureIsTheCluster()
	connects, err := bed.Metric(t.Winnow.URL, "winnow_watch_connects_total")
	t.check(err == nil && connects > 0, "winnow_watch_connects_total is %v (%v)", connects, err)
}

// killServersInTurn kills each API server for some seconds. It returns when the last one has been back for a while.
func (t *T) killServersInTurn() {
	for i, server := range t.Servers {
		time.Sleep(3 * time.Second)
		server.Kill()
		time.Sleep(4 * time.Second)
		t.must(server.Start())
		t.note("API server %d is back, %d pods bound", i, t.Watch.Bound())
	}
	time.Sleep(3 * time.Second)
}

// load makes pods at a rate (of a second) until the function that it gives is called, which says how many there are.
func (t *T) load(name string, rate int, edits ...func(*v1.Pod)) func() int {
	var stop atomic.Bool
	done := make(chan error, 1)
	made := 0
	go func() {
		for !stop.Load() {
			small := cluster.Requests("100m", "100Mi")
			batch := cluster.Pods(fmt.Sprintf("%s-%d", name, made), rate/10, append(edits, small)...)
			if err := t.AddPods(t.Ctx, batch); err != nil {
				done <- err
				return
			}
			made += len(batch)
			time.Sleep(100 * time.Millisecond)
		}
		done <- nil
	}()
	return func() int {
		stop.Store(true)
		t.must(<-done)
		return made
	}
}

// pictureIsTheCluster: what Winnow counts is what there is, and what it would say of a pod is what it says of a dump
// of the cluster.
func (t *T) pictureIsTheCluster() {
	figures := func() (nodes, pods, assumed float64) {
		nodes, _ = bed.Metric(t.Winnow.URL, "winnow_state_nodes")
		pods, _ = bed.Metric(t.Winnow.URL, "winnow_state_pods")
		assumed, _ = bed.Metric(t.Winnow.URL, "winnow_assumed_pods")
		return nodes, pods, assumed
	}
	wantNodes, wantPods := float64(len(t.Watch.AllNodes())), float64(t.Watch.Bound())
	cluster.Until(40*time.Second, func() bool {
		nodes, pods, assumed := figures()
		return nodes == wantNodes && pods == wantPods && assumed == 0
	})
	nodes, pods, assumed := figures()
	t.check(nodes == wantNodes && pods == wantPods && assumed == 0,
		"winnow counts %v nodes, %v bound pods and %v assumed ones; there are %v and %v",
		nodes, pods, assumed, wantNodes, wantPods)
	t.check(nodes > 0, "the picture is empty")
	live, dumped := t.explainLive(), t.explainDump()
	t.check(strings.Count(live, `"name"`) == len(t.Watch.AllNodes()), "/explain has not all nodes: %.300s", live)
	t.check(live == dumped,
		"winnow's answer from its picture differs from that of a dump of the cluster: %s", firstDifference(live, dumped))
}

func firstDifference(a, b string) string {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return fmt.Sprintf("at %d:\n  %s\n  %s", i, a[max(0, i-200):min(len(a), i+200)], b[max(0, i-200):min(len(b), i+200)])
		}
	}
	return fmt.Sprintf("%d and %d bytes:\n  %.300s\n  %.300s", len(a), len(b), a, b)
}
