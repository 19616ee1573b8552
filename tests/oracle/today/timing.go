package main

import (
	"fmt"
	"runtime"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/answer"
)

// timeAll prints for each pod what answering costs the process, median of so many times on one thread: POD filter_ns
// prioritize_ns feasible_count. The snapshot is there beforehand. A pod that upstream fails has no time for scoring, and
// feasible_count -1.
func timeAll(times int) func(answer.Directory, *scheduler, []*v1.Pod) error {
	return func(_ answer.Directory, s *scheduler, pods []*v1.Pod) error {
		runtime.GOMAXPROCS(1)
		runtime.GC()
		for _, pod := range pods {
			var filtering, scoring []int64
			feasible := 0
			for i := 0; i < times; i++ {
				start := answer.ProcessTime()
				state := framework.NewCycleState()
				nodes, err := findNodes(s, state, pod)
				middle := answer.ProcessTime()
				feasible = len(nodes)
				if err == nil && len(nodes) > 1 { // One node is not scored.
					err = prioritize(s, state, pod, nodes)
				}
				if err != nil {
					feasible = -1
				}
				filtering, scoring = append(filtering, middle-start), append(scoring, answer.ProcessTime()-middle)
			}
			fmt.Printf("%s/%s %d %d %d\n", pod.Namespace, pod.Name, answer.Median(filtering), answer.Median(scoring), feasible)
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
