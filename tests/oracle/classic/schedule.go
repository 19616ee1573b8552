package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"winnow.test/oracle/common/answer"
)

// prove holds an explanation against upstream's whole Schedule(), which looks at all nodes and scores all that fit.
func prove(s *scheduler, pod *v1.Pod, e *answer.Explanation) error {
	if e.Panic != "" || e.IsAmbiguousBy(predicates.CheckVolumeBindingPred) { // The binder's choice may differ from call to call.
		return nil
	}
	result, err := s.algorithm.Schedule(pod, framework.NewPluginContext())
	if e.Error != "" {
		return proveError(e, err)
	}
	if err == core.ErrNoNodesAvailable && len(e.Nodes) == 0 {
		return nil
	}
	if failed, ok := err.(*core.FitError); ok {
		return proveUnfit(s, e, failed)
	}
	if err != nil {
		return fmt.Errorf("Schedule() fails: %v", err)
	}
	return proveChoice(e, result)
}

// proveError: upstream joins the errors of all nodes, or of all rules, in any order.
func proveError(e *answer.Explanation, err error) error {
	if _, ok := err.(*core.FitError); err == nil || ok {
		return fmt.Errorf("Schedule() does not fail with %q: %v", e.Error, err)
	}
	if e.Ambiguous { // Which error is one of several.
		return nil
	}
	for _, part := range strings.Split(strings.Trim(e.Error, "[]"), ", ") {
		if !strings.Contains(err.Error(), part) {
			return fmt.Errorf("Schedule() fails with %q, not %q", err, e.Error)
		}
	}
	return nil
}

func proveUnfit(s *scheduler, e *answer.Explanation, failed *core.FitError) error {
	if e.Feasible != 0 || failed.NumAllNodes != len(e.Nodes) || len(failed.FailedPredicates) != len(e.Nodes) {
		return fmt.Errorf("Schedule() finds no node, %d of %d fail; here %d of %d fit",
			len(failed.FailedPredicates), failed.NumAllNodes, e.Feasible, len(e.Nodes))
	}
	for _, node := range e.Nodes {
		var theirs []string
		for _, reason := range failed.FailedPredicates[node.Name] {
			theirs = append(theirs, reason.GetReason())
		}
		ours := reasonsOf(node, s.alwaysAll)
		sort.Strings(theirs) // Scalar resources come in any order.
		sort.Strings(ours)
		if !reflect.DeepEqual(theirs, ours) {
			return fmt.Errorf("Schedule() refuses %s for %q, not %q", node.Name, theirs, ours)
		}
	}
	return nil
}

// reasonsOf are those that filtering gives: of the first predicate that fails, or of all.
func reasonsOf(node *answer.Node, all bool) (reasons []string) {
	for _, entry := range node.Filters {
		if entry.Fits {
			continue
		}
		reasons = append(reasons, entry.Reasons...)
		if !all {
			break
		}
	}
	return reasons
}

func proveChoice(e *answer.Explanation, result core.ScheduleResult) error {
	if result.FeasibleNodes != e.Feasible || result.EvaluatedNodes != len(e.Nodes) {
		return fmt.Errorf("Schedule() finds %d of %d nodes, here %d of %d fit", result.FeasibleNodes, result.EvaluatedNodes, e.Feasible, len(e.Nodes))
	}
	chosen, best := e.Node(result.SuggestedHost), e.Node(*e.Selected)
	if chosen == nil || !chosen.Fits || e.Feasible > 1 && *chosen.Total != *best.Total {
		return fmt.Errorf("Schedule() chooses %s, which is not among the best", result.SuggestedHost)
	}
	return nil
}
