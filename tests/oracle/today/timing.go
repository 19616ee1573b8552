package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// timeAll prints what answering costs. The snapshot is there beforehand.
func timeAll(times int) func(answer.Directory, *scheduler, []*v1.Pod) error {
	return func(_ answer.Directory, s *scheduler, pods []*v1.Pod) error {
		answer.OneThread()
		for _, pod := range pods {
			var state fwk.CycleState
			var nodes []fwk.NodeInfo
			filter := func() (feasible int, err error) {
				state = framework.NewCycleState()
				nodes, err = findNodes(s, state, pod)
				return len(nodes), err
			}
			answer.Time(cluster.NameOf(pod), times, filter, func() error { return prioritize(s, state, pod, nodes) })
		}
		return nil
	}
}

// findNodes is findNodesThatFitPod of schedule_one.go with all nodes to find.
func findNodes(s *scheduler, state fwk.CycleState, pod *v1.Pod) (feasible []fwk.NodeInfo, err error) {
	p := s.profileOf(pod)
	if p == nil {
		return nil, fmt.Errorf("no profile")
	}
	names, status, _ := p.framework.RunPreFilterPlugins(s.ctx, state, pod)
	if status.IsRejected() {
		return nil, nil
	}
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	for _, info := range s.all {
		if !names.AllNodes() && !names.NodeNames.Has(info.Node().Name) {
			continue
		}
		status := p.framework.RunFilterPluginsWithNominatedPods(s.ctx, state, pod, info)
		if status.IsError() {
			return nil, status.AsError()
		}
		if status.IsSuccess() {
			feasible = append(feasible, info)
		}
	}
	return feasible, nil
}

func prioritize(s *scheduler, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) error {
	p := s.profileOf(pod)
	if status := p.framework.RunPreScorePlugins(s.ctx, state, pod, nodes); !status.IsSuccess() {
		return status.AsError()
	}
	_, status := p.framework.RunScorePlugins(s.ctx, state, pod, nodes)
	return status.AsError()
}
