package waiting

import (
	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// inTheWay is a kind in which a pod on each node keeps the waiting pod out, until one goes.
func inTheWay(name string, pod func(string, int) *v1.Pod, keepsOut func(node string) *v1.Pod) Kind {
	return Kind{
		Name: name, Pod: pod,
		Prepare: func(s *Stage) error { return s.onEvery(keepsOut) },
		Event:   func(s *Stage, try int) error { return s.remove(keepsOut(node(try)).Name) },
		After:   func(s *Stage, try int) error { return s.AddPods(s.Ctx, []*v1.Pod{keepsOut(node(try))}) },
	}
}

func blocker() Kind {
	apart := []func(*v1.Pod){cluster.Labelled("app", "x"), cluster.Apart("app", "x", cluster.Hostname)}
	return inTheWay("blocker gone",
		func(name string, _ int) *v1.Pod { return cluster.Pod(name, apart...) },
		func(node string) *v1.Pod {
			return cluster.Pod("blocker-"+node, append(apart[:2:2], cluster.On(node))...)
		})
}

func room() Kind {
	return inTheWay("room made",
		func(name string, _ int) *v1.Pod { return cluster.Pod(name, cluster.Requests("2", "1Gi")) }, filler)
}

// filler leaves too little room on the node.
func filler(node string) *v1.Pod {
	return cluster.Pod("filler-"+node, cluster.Requests("3", "1Gi"), cluster.On(node))
}
