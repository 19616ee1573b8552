package main

import (
	"time"

	"winnow.test/e2e/cluster"
)

// restart: Winnow is killed under load and comes back on its port, then it is asked to end and comes back. Pods wait
// meanwhile, and none is put where another one is on its way to.
func restart(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(100, 4)))
	t.start(today)
	looks := t.look()
	load := t.load("load", 60)
	time.Sleep(3 * time.Second)
	t.Winnow.Kill()
	t.again()
	time.Sleep(3 * time.Second)
	code := t.Winnow.Stop()
	t.check(code == 0, "winnow ends with %d after SIGTERM", code)
	t.again()
	time.Sleep(3 * time.Second)
	t.allBound(load(), 60*time.Second)
	_, broken := looks()
	t.promises(broken)
	t.pictureIsTheCluster()
}

// again starts Winnow as it was started before, half a second later.
func (t *T) again() {
	time.Sleep(500 * time.Millisecond)
	t.runWinnow(t.user(), t.Winnow.Port(), t.winnowFlags...)
	t.must(t.Winnow.WaitReady())
}
