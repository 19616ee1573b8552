// Package cluster makes nodes and pods, watches where pods go, and says which promises a cluster breaks.
package cluster

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The labels that scheduling knows of.
const (
	Hostname = v1.LabelHostname
	Zone     = v1.LabelTopologyZone
)

// Node is ready, in a zone, and takes 4 cpu, 32 GiB and 110 pods unless it is told otherwise.
func Node(name, zone string, edits ...func(*v1.Node)) *v1.Node {
	node := &v1.Node{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{Hostname: name, Zone: zone}},
		Status: v1.NodeStatus{
			Allocatable: Resources("4", "32Gi", "110"),
			Conditions:  []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady"}},
		},
	}
	for _, edit := range edits {
		edit(node)
	}
	node.Status.Capacity = node.Status.Allocatable
	return node
}

// Nodes are node-0000, node-0001, … over zones zone-0 to zone-(zones-1) in turn.
func Nodes(count, zones int, edits ...func(*v1.Node)) []*v1.Node {
	var nodes []*v1.Node
	for i := range count {
		nodes = append(nodes, Node(fmt.Sprintf("node-%04d", i), fmt.Sprintf("zone-%d", i%zones), edits...))
	}
	return nodes
}

// Resources are what a node has.
func Resources(cpu, memory, pods string) v1.ResourceList {
	return v1.ResourceList{
		v1.ResourceCPU:    resource.MustParse(cpu),
		v1.ResourceMemory: resource.MustParse(memory),
		v1.ResourcePods:   resource.MustParse(pods),
	}
}

// Allocatable replaces what the node takes.
func Allocatable(cpu, memory, pods string) func(*v1.Node) {
	return func(node *v1.Node) { node.Status.Allocatable = Resources(cpu, memory, pods) }
}

// Tainted adds a taint.
func Tainted(key, value string, effect v1.TaintEffect) func(*v1.Node) {
	return func(node *v1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: effect})
	}
}

// NodeLabelled adds a label.
func NodeLabelled(key, value string) func(*v1.Node) {
	return func(node *v1.Node) { node.Labels[key] = value }
}
