package main

import (
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
)

// askTwice is RunFilterPluginsWithNominatedPods of framework/runtime/framework.go: of two passes the first that fails.
func (e *explanation) askTwice(all []filterRule, info *framework.NodeInfo) *answer.Node {
	if state, more := e.withNominated(info); more != nil {
		if node := e.ask(all, state, more); !node.Fits {
			return node
		}
	}
	return e.ask(all, e.state, info)
}

// withNominated is addNominatedPods of framework/runtime/framework.go; it returns nil where there is nobody to add, and
// where upstream comes to no node.
func (e *explanation) withNominated(info *framework.NodeInfo) (*framework.CycleState, *framework.NodeInfo) {
	if e.ended || !e.p.framework.HasFilterPlugins() {
		return nil, nil
	}
	var more *framework.NodeInfo
	state := e.state.Clone()
	for _, other := range e.p.framework.NominatedPodsForNode(info.Node().Name) {
		if corev1helpers.PodPriority(other.Pod) < corev1helpers.PodPriority(e.pod) || other.Pod.UID == e.pod.UID {
			continue
		}
		if more == nil {
			more = info.Clone()
		}
		more.AddPodInfo(other)
		if status := e.p.framework.RunPreFilterExtensionAddPod(e.s.ctx, state, e.pod, other, more); !status.IsSuccess() {
			panic(status.AsError())
		}
	}
	return state, more
}
