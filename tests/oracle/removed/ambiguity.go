package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Some answers of upstream hang on the order of a Go map, or of its cache: they take "the first" where several could be it.
// Services and pods come in order here (informers.go, ordered_pods.go), so the answer is the one for the first by namespace
// and name, and is compared. What is left is marked.

// isAmbiguousLimit: of a node's two labels that name its instance type, any says how many EBS volumes it takes.
func (e *explanation) isAmbiguousLimit(rule filterRule, state *framework.CycleState, info *framework.NodeInfo) bool {
	labels := info.Node().Labels
	old, hasOld := labels[v1.LabelInstanceType]
	new, hasNew := labels[v1.LabelInstanceTypeStable]
	if !hasOld || !hasNew || old == new {
		return false
	}
	said := map[bool]bool{}
	for _, one := range []string{old, new} {
		node := *info.Node()
		node.Labels = map[string]string{v1.LabelInstanceType: one}
		alone := info.Clone()
		alone.SetNode(&node)
		said[e.statusOf(rule, state, alone).IsSuccess()] = true
	}
	return len(said) > 1
}
