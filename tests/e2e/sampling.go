package main

import (
	"strings"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// sampling: without percentageOfNodesToScore: 100 kube-scheduler shows Winnow a part of the nodes only. Winnow
// notices, counts, and says once which line to write.
func sampling(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(300, 3)))
	t.grant()
	t.startWinnow(today)
	configuration := t.read(t.manifest(ways[t.way].configuration))
	configuration = strings.Replace(configuration, "percentageOfNodesToScore: 100", "percentageOfNodesToScore: 0", 1)
	t.startScheduler(configuration, t.Winnow.URL)
	t.add(cluster.Pods("some", 20)...)
	t.nodesOf("some", 20)
	sampled, err := bed.Metric(t.Winnow.URL, "winnow_sampled_calls_total")
	t.check(err == nil && sampled > 0, "winnow_sampled_calls_total is %v (%v)", sampled, err)
	said := strings.Count(t.Winnow.Tail(200), "percentageOfNodesToScore: 100")
	t.check(said == 1, "winnow's log names the line %d times", said)
}
