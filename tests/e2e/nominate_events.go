package main

import (
	"strings"
	"time"

	"winnow.test/e2e/cluster"
)

// nominateEvents: what kubectl describe shows of pods that Winnow decides for, with the rights of manifests/nominator.yaml.
// Nobody else says why a pod waits that is held by its gate.
func nominateEvents(t *T) {
	t.way = gatedWay
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(3, 3)))
	t.start(today, "--nominate-gate-when-infeasible=hold")
	t.add(cluster.Pod("huge", withGate(nominateGate), cluster.Requests("1000", "1Gi")))
	told := t.events("huge", "HeldByGate")
	t.check(len(told) == 1 && strings.HasSuffix(told[0], "until a node fits: 0/3 nodes are available: 3 Insufficient cpu."),
		"the events of a pod that is held are %q", told)
	t.add(cluster.Pod("fits", withGate(nominateGate)))
	t.check(t.bound("fits", 20*time.Second) != "", "a pod is not bound: %s", t.history("fits"))
	t.check(t.Watch.NominatedFor("huge") == "", "a pod that fits nowhere is nominated")
	// Two rounds of looks later it is still one event, and the pod that was placed has none of Winnow's.
	time.Sleep(11 * time.Second)
	told = t.events("huge", "HeldByGate")
	t.check(len(told) == 1, "after two more looks the events of a pod that is held are %q", told)
	log := t.Winnow.Said()
	t.check(!strings.Contains(log, "an event was not written"), "an event was not written:\n%s", log)
}
