package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// timeAll prints what answering costs. The snapshot is there beforehand.
func timeAll(times int) func(answer.Directory, *scheduler, []*v1.Pod) error {
	return func(_ answer.Directory, s *scheduler, pods []*v1.Pod) error {
		answer.OneThread()
		for _, pod := range pods {
			pod := pod
			var nodes []*v1.Node
			filter := func() (feasible int, err error) {
				nodes, err = findNodes(s, pod)
				return len(nodes), err
			}
			answer.Time(cluster.NameOf(pod), times, filter, func() error {
				meta := s.priorityMeta(pod, s.infos)
				_, err := core.PrioritizeNodes(pod, s.infos, meta, s.priorities, nodes, nil, s.framework, framework.NewPluginContext())
				return err
			})
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
