package main

import (
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"winnow.test/oracle/common/answer"
)

// askTwice is RunFilterPluginsWithNominatedPods of framework/runtime/framework.go: of two passes the first that fails.
func (e *explanation) askTwice(all []filterRule, info fwk.NodeInfo) *answer.Node {
	if state, more := e.withNominated(info); more != nil {
		if node := e.ask(all, state, more); !node.Fits {
			return node
		}
	}
	return e.ask(all, e.state, info)
}

// withNominated is addGENominatedPods of framework/runtime/framework.go; it returns nil where there is nobody to add, and for
// a node that upstream does not come to.
func (e *explanation) withNominated(info fwk.NodeInfo) (fwk.CycleState, fwk.NodeInfo) {
	if !e.before.reaches(info.Node().Name) {
		return nil, nil
	}
	var more fwk.NodeInfo
	state := e.state.Clone()
	for _, other := range e.p.framework.NominatedPodsForNode(info.Node().Name) {
		if corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(e.pod) || other.GetPod().UID == e.pod.UID {
			continue
		}
		if more == nil {
			more = info.Snapshot()
		}
		more.AddPodInfo(other)
		if status := e.p.framework.RunPreFilterExtensionAddPod(e.s.ctx, state, e.pod, other, more); !status.IsSuccess() {
			panic(status.AsError())
		}
	}
	return state, more
}
