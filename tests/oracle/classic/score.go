package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"winnow.test/oracle/common/answer"
)

// score fills in the scores, the totals and the selected node.
func score(s *scheduler, pod *v1.Pod, e *answer.Explanation, feasible []*answer.Node) {
	if len(feasible) == 0 {
		return
	}
	var nodes []*v1.Node
	for _, node := range feasible {
		nodes = append(nodes, s.infos[node.Name].Node())
	}
	meta := s.priorityMeta(pod, s.infos)
	scores := make([][]answer.Score, len(feasible))
	var errs []error
	for _, p := range s.priorities {
		ambiguous := isAmbiguousPriority(s, p.Name, pod)
		entries, failures := entriesOf(s, p, pod, meta, nodes)
		if p.Function != nil && len(failures) > 0 {
			ambiguous = ambiguous || len(failures) > 1
			failures = failures[:1]
		}
		e.Ambiguous = e.Ambiguous || ambiguous
		errs = append(errs, failures...)
		for i, entry := range entries {
			entry.Ambiguous = ambiguous
			scores[i] = append(scores[i], entry)
		}
	}
	if len(errs) != 0 {
		if e.Error == "" && len(feasible) > 1 { // One feasible node is not scored.
			e.Error = errors.NewAggregate(errs).Error()
		}
		if len(feasible) == 1 {
			e.Selected = &feasible[0].Name
		}
		return
	}
	totals := prioritize(s, pod, meta, nodes)
	best := 0
	for i, node := range feasible {
		node.Scores = scores[i]
		node.Total = &totals[i]
		if *node.Total > *feasible[best].Total {
			best = i
		}
	}
	e.Selected = &feasible[best].Name
}

// entriesOf runs one priority as PrioritizeNodes of core/generic_scheduler.go does, which keeps no raw scores.
func entriesOf(s *scheduler, p priorities.PriorityConfig, pod *v1.Pod, meta interface{}, nodes []*v1.Node) (entries []answer.Score, errs []error) {
	entries = make([]answer.Score, len(nodes))
	var list schedulerapi.HostPriorityList
	if p.Function != nil {
		var err error
		if list, err = p.Function(pod, s.infos, nodes); err != nil {
			return nil, errorsByNode(s, p, pod, nodes)
		}
	} else {
		list = make(schedulerapi.HostPriorityList, len(nodes))
		for i, node := range nodes {
			var err error
			if list[i], err = p.Map(pod, meta, s.infos[node.Name]); err != nil {
				errs = append(errs, err)
				list[i].Host = node.Name
			}
			raw := list[i].Score
			entries[i].Raw = &raw
		}
		if p.Reduce != nil {
			if err := p.Reduce(pod, meta, s.infos, list); err != nil {
				errs = append(errs, err)
			}
		}
	}
	for i := range entries {
		if list[i].Host != nodes[i].Name && list[i].Host != "" { // EvenPodsSpreadPriority may name none.
			panic("not in the nodes' order: " + list[i].Host)
		}
		entries[i].Rule, entries[i].Weight, entries[i].Score = p.Name, p.Weight, list[i].Score
	}
	return entries, errs
}

// errorsByNode: where the pods of several nodes fail such a priority, upstream keeps the error that comes first from one of 16
// threads. Those that differ come here in the order of the nodes.
func errorsByNode(s *scheduler, p priorities.PriorityConfig, pod *v1.Pod, nodes []*v1.Node) (errs []error) {
	seen := map[string]bool{}
	for _, name := range s.names {
		_, err := p.Function(pod, map[string]*schedulernodeinfo.NodeInfo{name: s.infos[name]}, nodes)
		if err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			errs = append(errs, err)
		}
	}
	return errs
}

// prioritize asks upstream's PrioritizeNodes itself for the totals, which proves the scores above.
func prioritize(s *scheduler, pod *v1.Pod, meta interface{}, nodes []*v1.Node) []int {
	list, err := core.PrioritizeNodes(pod, s.infos, meta, s.priorities, nodes, nil, s.framework, framework.NewPluginContext())
	if err != nil {
		panic(err)
	}
	totals := make([]int, len(list))
	for i, host := range list {
		if host.Host != nodes[i].Name {
			panic(host.Host)
		}
		totals[i] = host.Score
	}
	return totals
}
