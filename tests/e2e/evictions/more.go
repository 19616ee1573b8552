package evictions

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// toOneNode: the pod selects one node, as a pod with a local volume or of a DaemonSet does, and evicts there.
func toOneNode() Case {
	c := combined(6, needs()[0])
	c.Name = "cpu on one node"
	c.High = high(cluster.Requests("2", "1Gi"), cluster.NodeSelector(cluster.Hostname, "node-0003"))
	c.Spared = func(victim string) string {
		if victim != "low-cpu-3" {
			return "it is not on the pod's node"
		}
		return ""
	}
	return c
}

// guarded: each node has a low pod that a budget guards, and one that it does not: either makes room.
func guarded() Case {
	c := Case{Name: "cpu with budgets of 0", Needs: []string{CPU}, Nodes: cluster.Nodes(6, 2)}
	for i, node := range nodeNames(c.Nodes) {
		half := []func(*v1.Pod){cluster.Requests("2", "1Gi"), cluster.On(node), cluster.Priority("low")}
		c.Low = append(c.Low, cluster.Pod(fmt.Sprintf("low-free-%d", i), half...),
			cluster.Pod(fmt.Sprintf("low-guarded-%d", i), append(half, cluster.Labelled("guarded", "yes"))...))
	}
	c.High = high(cluster.Requests("2", "1Gi"))
	c.Prepare = func(s *Stage) error { return s.AddBudget(s.Ctx, "guarded", "yes", len(c.Nodes)) }
	c.Spared = func(victim string) string {
		if strings.HasPrefix(victim, "low-guarded") {
			return "its budget allows no disruption"
		}
		return ""
	}
	return c
}
