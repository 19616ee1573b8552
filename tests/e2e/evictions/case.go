package evictions

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// Case is a cluster, and a pod of high priority that some evictions on one node let in.
type Case struct {
	Name    string
	Needs   []string // Why the high pod fits nowhere.
	Nodes   []*v1.Node
	Prepare func(s *Stage) error             // What must be there beside nodes and pods.
	Low     []*v1.Pod                        // All that may be evicted.
	High    func(name string) *v1.Pod        // The one that they give way to.
	Spared  func(victim string) (why string) // Says why one must not go; "" if it may. May be nil.
}

// Stage is where a case is played.
type Stage struct {
	*cluster.Cluster
	Ctx context.Context
}

// All cases: each need alone, each pair, and some more.
func All() []Case {
	var cases []Case
	for _, one := range needs() {
		cases = append(cases, combined(4, one))
	}
	for i, one := range needs() {
		for _, other := range needs()[i+1:] {
			cases = append(cases, combined(6, one, other))
		}
	}
	return append(cases, toOneNode(), guarded())
}

// Telling are some of each sort, for a short run.
func Telling() []Case {
	all := needs()
	return []Case{combined(4, all[0]), combined(6, all[0], all[2]), combined(4, all[5]), toOneNode()}
}

// combined has a low pod for each need on each node: as many evictions on one node make room.
func combined(count int, all ...need) Case {
	c := Case{Nodes: cluster.Nodes(count, 2)}
	names := nodeNames(c.Nodes)
	var edits []func(*v1.Pod)
	for _, one := range all {
		c.Needs = append(c.Needs, one.name)
		edits = append(edits, one.high)
		c.Low = append(c.Low, inTheWay(one, names)...)
	}
	c.Name = c.Needs[0]
	if len(c.Needs) > 1 {
		c.Name += " and " + c.Needs[1]
	}
	if slices.ContainsFunc(all, func(one need) bool { return one.floor }) {
		c.Nodes = append(c.Nodes, cluster.Node("floor", "zone-0", func(node *v1.Node) { node.Spec.Unschedulable = true }))
	}
	c.High = high(edits...)
	c.Prepare = func(s *Stage) error {
		for _, one := range all {
			if one.prepare == nil {
				continue
			}
			if err := one.prepare(s, names); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

func inTheWay(one need, nodes []string) (pods []*v1.Pod) {
	if one.onFirst {
		nodes = nodes[:1]
	}
	for i, node := range nodes {
		name := fmt.Sprintf("low-%s-%d", short[one.name], i)
		pods = append(pods, cluster.Pod(name, one.low(node), cluster.On(node), cluster.Priority("low")))
	}
	return pods
}

// short names of the needs are good for pods.
var short = map[string]string{
	CPU: "cpu", Port: "port", Apart: "apart", Avoided: "avoided", Even: "even", OnePod: "one-pod", FewVolume: "volume",
}

func high(edits ...func(*v1.Pod)) func(string) *v1.Pod {
	return func(name string) *v1.Pod {
		return cluster.Pod(name, append(edits[:len(edits):len(edits)], cluster.Priority("high"))...)
	}
}

func nodeNames(nodes []*v1.Node) (names []string) {
	for _, node := range nodes {
		names = append(names, node.Name)
	}
	return names
}
