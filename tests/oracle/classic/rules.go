package main

import (
	"encoding/json"
	"fmt"
	"io/ioutil"
	"sort"

	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
)

type predicate struct {
	name string
	fits predicates.FitPredicate
}

type priority struct {
	name   string
	weight int
	// Made anew for each pod: SelectorSpread and NodeLabel hold listers or arguments.
	make func(*cluster) (priorities.PriorityMapFunction, priorities.PriorityReduceFunction)
}

type rules struct {
	predicates []predicate
	priorities []priority
}

var plainPredicates = map[string]predicates.FitPredicate{
	predicates.CheckNodeConditionPred:              predicates.CheckNodeConditionPredicate,
	predicates.CheckNodeUnschedulablePred:          predicates.CheckNodeUnschedulablePredicate,
	predicates.GeneralPred:                         predicates.GeneralPredicates,
	predicates.HostNamePred:                        predicates.PodFitsHost,
	predicates.PodFitsHostPortsPred:                predicates.PodFitsHostPorts,
	predicates.MatchNodeSelectorPred:               predicates.PodMatchNodeSelector,
	predicates.PodFitsResourcesPred:                predicates.PodFitsResources,
	predicates.NoDiskConflictPred:                  predicates.NoDiskConflict,
	predicates.PodToleratesNodeTaintsPred:          predicates.PodToleratesNodeTaints,
	predicates.PodToleratesNodeNoExecuteTaintsPred: predicates.PodToleratesNodeNoExecuteTaints,
	predicates.CheckNodeMemoryPressurePred:         predicates.CheckNodeMemoryPressurePredicate,
	predicates.CheckNodePIDPressurePred:            predicates.CheckNodePIDPressurePredicate,
	predicates.CheckNodeDiskPressurePred:           predicates.CheckNodeDiskPressurePredicate,
}

func mapReduce(m priorities.PriorityMapFunction, r priorities.PriorityReduceFunction) func(*cluster) (priorities.PriorityMapFunction, priorities.PriorityReduceFunction) {
	return func(*cluster) (priorities.PriorityMapFunction, priorities.PriorityReduceFunction) { return m, r }
}

var plainPriorities = map[string]func(*cluster) (priorities.PriorityMapFunction, priorities.PriorityReduceFunction){
	priorities.EqualPriority:               mapReduce(core.EqualPriorityMap, nil),
	priorities.MostRequestedPriority:       mapReduce(priorities.MostRequestedPriorityMap, nil),
	priorities.LeastRequestedPriority:      mapReduce(priorities.LeastRequestedPriorityMap, nil),
	priorities.BalancedResourceAllocation:  mapReduce(priorities.BalancedResourceAllocationMap, nil),
	priorities.NodePreferAvoidPodsPriority: mapReduce(priorities.CalculateNodePreferAvoidPodsPriorityMap, nil),
	priorities.NodeAffinityPriority:        mapReduce(priorities.CalculateNodeAffinityPriorityMap, priorities.CalculateNodeAffinityPriorityReduce),
	priorities.TaintTolerationPriority:     mapReduce(priorities.ComputeTaintTolerationPriorityMap, priorities.ComputeTaintTolerationPriorityReduce),
	priorities.ImageLocalityPriority:       mapReduce(priorities.ImageLocalityPriorityMap, nil),
	priorities.SelectorSpreadPriority: func(c *cluster) (priorities.PriorityMapFunction, priorities.PriorityReduceFunction) {
		return priorities.NewSelectorSpreadPriority(c.services, c.rcs, c.rss, c.sss)
	},
}

func readPolicy(path string) (*rules, error) {
	text, err := ioutil.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var policy schedulerapi.Policy
	// The internal type has no JSON names; encoding/json matches them but for case.
	if err := json.Unmarshal(text, &policy); err != nil {
		return nil, err
	}
	// By slot: upstream's order; a predicate made by arguments stands where its kind does (Winnow runs it under any name).
	slots := map[string][]predicate{}
	for _, mandatory := range []string{predicates.CheckNodeUnschedulablePred, predicates.PodToleratesNodeTaintsPred} {
		slots[mandatory] = []predicate{{mandatory, plainPredicates[mandatory]}}
	}
	for _, p := range policy.Predicates {
		if p.Argument != nil && p.Argument.LabelsPresence != nil {
			a := p.Argument.LabelsPresence
			rule := predicate{p.Name, predicates.NewNodeLabelPredicate(a.Labels, a.Presence)}
			if plainPredicates[p.Name] != nil { // Takes that rule's place.
				slots[p.Name] = []predicate{rule}
			} else {
				slots[predicates.CheckNodeLabelPresencePred] = append(slots[predicates.CheckNodeLabelPresencePred], rule)
			}
			continue
		}
		fits, ok := plainPredicates[p.Name]
		if !ok {
			return nil, fmt.Errorf("predicate %q", p.Name)
		}
		slots[p.Name] = []predicate{{p.Name, fits}}
	}
	r := &rules{}
	for _, slot := range predicates.Ordering() {
		r.predicates = append(r.predicates, slots[slot]...)
	}
	for _, p := range policy.Priorities {
		if p.Argument != nil && p.Argument.LabelPreference != nil {
			a := p.Argument.LabelPreference
			r.priorities = append(r.priorities, priority{p.Name, p.Weight, mapReduce(priorities.NewNodeLabelPriority(a.Label, a.Presence))})
			continue
		}
		make, ok := plainPriorities[p.Name]
		if !ok {
			return nil, fmt.Errorf("priority %q", p.Name)
		}
		r.priorities = append(r.priorities, priority{p.Name, p.Weight, make})
	}
	sort.Slice(r.priorities, func(i, j int) bool { return r.priorities[i].name < r.priorities[j].name })
	return r, nil
}
