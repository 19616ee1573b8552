package main

import (
	"fmt"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// policyChange: the file of rules is changed under load. The new rules hold from then on without a restart; a file
// that is wrong is refused, and the rules stay.
func policyChange(t *T) {
	nodes := cluster.Nodes(40, 4, cluster.Allocatable("32", "64Gi", "1000"))
	for i, node := range nodes {
		cluster.NodeLabelled("half", fmt.Sprint(i%2))(node)
		cluster.NodeLabelled(fmt.Sprintf("half-%d", i%2), "")(node)
	}
	t.must(t.AddNodes(t.Ctx, nodes))
	t.start(onlyWith("half-0"), "--allow-missing-rules")
	load := t.load("load", 60)
	time.Sleep(2 * time.Second)
	t.file("rules.yaml", onlyWith("half-1"))
	t.reloaded(1)
	t.goesTo("after-change", "1")
	t.file("rules.yaml", "apiVersion: v1\nkind: Policy\npredicates: [{name: NoSuchRule}]\n")
	t.reloaded(2)
	t.goesTo("after-mistake", "1")
	t.check(t.Winnow.Ready(), "winnow is not ready after a wrong file")
	t.allBound(load()+20, 30*time.Second)
	halves := map[string]int{}
	for _, pod := range t.Watch.All() {
		if node, err := t.Watch.Nodes.Get(pod.Spec.NodeName); err == nil {
			halves[node.Labels["half"]]++
		}
	}
	t.check(halves["0"] > 0 && halves["1"] > 0, "pods by half: %v", halves)
}

func onlyWith(label string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Policy
predicates:
- {name: GeneralPredicates}
- {name: HasLabel, argument: {labelsPresence: {labels: [%s], presence: true}}}
priorities:
- {name: LeastRequestedPriority, weight: 1}
`, label)
}

// reloaded waits until so many changes of the file were taken or refused.
func (t *T) reloaded(count float64) {
	seen := 0.0
	cluster.Until(15*time.Second, func() bool {
		seen, _ = bed.Metric(t.Winnow.URL, "winnow_config_reloads_total")
		return seen >= count
	})
	t.check(seen == count, "%v changes of the file were noticed after 15 s, not %v", seen, count)
}

func (t *T) goesTo(prefix, half string) {
	t.add(cluster.Pods(prefix, 10)...)
	for node := range t.nodesOf(prefix, 10) {
		found, err := t.Watch.Nodes.Get(node)
		t.check(err == nil && found.Labels["half"] == half, "%s: a pod is on %s", prefix, node)
	}
}
