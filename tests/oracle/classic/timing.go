package main

import (
	"fmt"
	"runtime"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
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
				nodes, err := findNodes(s, pod)
				middle := answer.ProcessTime()
				feasible = len(nodes)
				if err == nil && len(nodes) > 1 { // One node is not scored.
					_, err = core.PrioritizeNodes(pod, s.infos, s.priorityMeta(pod, s.infos), s.priorities, nodes, nil, s.framework, framework.NewPluginContext())
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

// findNodes is findNodesThatFit of core/generic_scheduler.go with all nodes to find.
func findNodes(s *scheduler, pod *v1.Pod) (feasible []*v1.Node, err error) {
	if err := basicChecks(s, pod); err != nil {
		return nil, err
	}
	meta := s.predicateMeta(pod, s.infos)
	for _, name := range s.names {
		info, fits := s.infos[name], true
		for _, p := range s.predicates {
			one, _, err := p.fits(pod, meta, info)
			if err != nil {
				return nil, err
			}
			fits = fits && one
			if !fits && !s.alwaysAll {
				break
			}
		}
		if fits {
			feasible = append(feasible, info.Node())
		}
	}
	return feasible, nil
}
