package main

import (
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// quiet: a cluster in which nothing happens is not a cluster that does not answer. Winnow stays ready, and its
// watches stay open.
func quiet(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(3, 3)))
	t.start(today)
	ready, times := 0, 0
	for end := time.Now().Add(quietTime); time.Now().Before(end); time.Sleep(time.Second) {
		times++
		if t.Winnow.Ready() {
			ready++
		}
	}
	t.check(ready == times, "/readyz said yes %d times of %d, a second apart, while nothing happened", ready, times)
	lists, err := bed.Metric(t.Winnow.URL, "winnow_watch_lists_total")
	t.note("%.0f lists, %v", lists, err)
	t.add(cluster.Pod("after"))
	t.check(t.bound("after", 10*time.Second) != "", "a pod is not bound after the silence: %s", t.history("after"))
}

// quietTime is longer than the default of --max-staleness, and than the time between two bookmarks.
const quietTime = 150 * time.Second
