package main

import (
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/factory"
)

// Winnow runs some rules where v1.16 dies or never runs them. They get upstream's own functions here, under the name and in
// the place that Winnow gives them, so that upstream's scheduler runs them as it runs its own.

// Not registered at default gates, or never.
var extraPredicates = map[string]predicates.FitPredicate{
	predicates.CheckNodeConditionPred:              predicates.CheckNodeConditionPredicate,
	predicates.CheckNodeUnschedulablePred:          predicates.CheckNodeUnschedulablePredicate,
	predicates.CheckNodeMemoryPressurePred:         predicates.CheckNodeMemoryPressurePredicate,
	predicates.CheckNodePIDPressurePred:            predicates.CheckNodePIDPressurePredicate,
	predicates.CheckNodeDiskPressurePred:           predicates.CheckNodeDiskPressurePredicate,
	predicates.PodToleratesNodeNoExecuteTaintsPred: predicates.PodToleratesNodeNoExecuteTaints,
	predicates.EvenPodsSpreadPred:                  predicates.EvenPodsSpreadPredicate,
	"PodFitsHost":                                  predicates.PodFitsHost,
	"PodSelectorMatches":                           predicates.PodMatchNodeSelector,
}

// aliasOf is the name in upstream's order.
var aliasOf = map[string]string{
	"PodFitsPorts":       predicates.PodFitsHostPortsPred,
	"PodFitsHost":        predicates.HostNamePred,
	"PodSelectorMatches": predicates.MatchNodeSelectorPred,
}

func registerExtras(policy *schedulerapi.Policy) {
	for _, p := range policy.Predicates {
		if fits, ok := extraPredicates[p.Name]; ok && !factory.IsFitPredicateRegistered(p.Name) {
			factory.RegisterFitPredicate(p.Name, fits)
		}
	}
	for _, p := range policy.Priorities {
		if factory.IsPriorityFunctionRegistered(p.Name) {
			continue
		}
		switch p.Name {
		case priorities.EvenPodsSpreadPriority:
			factory.RegisterPriorityFunction(p.Name, priorities.CalculateEvenPodsSpreadPriority, 1)
		case priorities.ResourceLimitsPriority:
			factory.RegisterPriorityMapReduceFunction(p.Name, priorities.ResourceLimitsPriorityMap, nil, 1)
		}
	}
}

// order is upstream's, with the names that it lacks behind the one whose kind they are of.
func order(policy *schedulerapi.Policy) []string {
	known := map[string]bool{}
	for _, name := range predicates.Ordering() {
		known[name] = true
	}
	slots := map[string]string{} // The last of one name counts.
	for _, p := range policy.Predicates {
		if slot := slotOf(p); slot != "" {
			slots[p.Name] = slot
		}
	}
	behind := map[string][]string{}
	for _, p := range policy.Predicates {
		if slot, ok := slots[p.Name]; ok && !known[p.Name] {
			known[p.Name] = true
			behind[slot] = append(behind[slot], p.Name)
		}
	}
	// An alias stands with its like in the file's order.
	first := map[string]bool{}
	for i := len(policy.Predicates) - 1; i >= 0; i-- {
		p := policy.Predicates[i]
		for alias, name := range aliasOf {
			if p.Name == alias {
				first[name] = true
			} else if p.Name == name {
				first[name] = false
			}
		}
	}
	var all []string
	for _, name := range predicates.Ordering() {
		if first[name] {
			all = append(append(all, behind[name]...), name)
		} else {
			all = append(append(all, name), behind[name]...)
		}
	}
	return all
}

func slotOf(p schedulerapi.PredicatePolicy) string {
	switch {
	case p.Argument == nil:
		return aliasOf[p.Name]
	case p.Argument.LabelsPresence != nil:
		return predicates.CheckNodeLabelPresencePred
	default:
		return predicates.CheckServiceAffinityPred
	}
}
