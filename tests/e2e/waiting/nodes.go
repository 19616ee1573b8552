package waiting

import (
	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

func plain(name string, _ int) *v1.Pod { return cluster.Pod(name) }

// patched kinds change a node and change it back.
func patched(name string, pod func(string, int) *v1.Pod, edit func(*v1.Node), event, undo string) Kind {
	return Kind{
		Name: name, Nodes: []func(*v1.Node){edit}, Prepare: alone, Pod: pod,
		Event: func(s *Stage, try int) error { return s.patchNode(node(try), event) },
		After: func(s *Stage, try int) error { return s.patchNode(node(try), undo) },
	}
}

func uncordon() Kind {
	cordoned := func(node *v1.Node) { node.Spec.Unschedulable = true }
	return patched("uncordon", plain, cordoned, `{"spec":{"unschedulable":null}}`, `{"spec":{"unschedulable":true}}`)
}

func label() Kind {
	selects := func(name string, _ int) *v1.Pod { return cluster.Pod(name, cluster.NodeSelector("disk", "ssd")) }
	return patched("label", selects, func(*v1.Node) {},
		`{"metadata":{"labels":{"disk":"ssd"}}}`, `{"metadata":{"labels":{"disk":null}}}`)
}

func taint() Kind {
	tainted := cluster.Tainted("dedicated", "batch", v1.TaintEffectNoSchedule)
	return patched("taint removed", plain, tainted, `{"spec":{"taints":null}}`,
		`{"spec":{"taints":[{"key":"dedicated","value":"batch","effect":"NoSchedule"}]}}`)
}

func nodeAdded() Kind {
	return Kind{
		Name: "node added", Prepare: alone,
		Pod:   func(name string, _ int) *v1.Pod { return cluster.Pod(name, cluster.NodeSelector("new", "yes")) },
		Event: func(s *Stage, _ int) error { return s.addNewNode() },
		After: func(s *Stage, _ int) error { return s.removeNewNode() },
	}
}

func (s *Stage) addNewNode() error {
	fresh := cluster.Node("node-new", "zone-new", cluster.NodeLabelled("new", "yes"))
	return s.AddNodes(s.Ctx, []*v1.Node{fresh})
}

func (s *Stage) removeNewNode() error {
	return s.Client.CoreV1().Nodes().Delete(s.Ctx, "node-new", meta.DeleteOptions{})
}
