package main

import (
	"errors"
	"fmt"
	"reflect"

	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/answer"
)

// prove holds an explanation against upstream's whole Schedule, which looks at all nodes and scores all that fit.
func prove(e *explanation) error {
	if e.Panic != "" || e.p == nil {
		return nil
	}
	result, err := e.schedule()
	var failed *framework.FitError
	switch {
	case isLimitOpen(e):
		return nil
	case e.Error != "":
		return e.proveError(err)
	case errors.Is(err, upstream.ErrNoNodesAvailable):
		if len(e.Nodes) != 0 {
			return fmt.Errorf("Schedule knows no nodes, here are %d", len(e.Nodes))
		}
		return nil
	case errors.As(err, &failed):
		return e.proveUnfit(failed)
	case err != nil:
		return fmt.Errorf("Schedule fails: %v", err)
	}
	return e.proveChoice(result)
}

// isLimitOpen: upstream's answer may differ from call to call.
func isLimitOpen(e *explanation) bool { return e.IsAmbiguousBy("EBSLimits") }

// schedule asks upstream about the pod as it comes out of the queue, but nominated for no node: it would try that one first.
func (e *explanation) schedule() (upstream.ScheduleResult, error) {
	pod := *e.pod
	pod.Status.NominatedNodeName = ""
	return e.s.upstream.Algorithm.Schedule(e.s.ctx, nil, e.p.framework, framework.NewCycleState(), &pod)
}

func (e *explanation) proveError(err error) error {
	var failed *framework.FitError
	if err == nil || errors.As(err, &failed) {
		return fmt.Errorf("Schedule does not fail with %q: %v", e.Error, err)
	}
	if err.Error() != e.Error && !e.Ambiguous { // Which error may be one of several.
		return fmt.Errorf("Schedule fails with %q, not %q", err, e.Error)
	}
	return nil
}

func (e *explanation) proveUnfit(failed *framework.FitError) error {
	if e.Feasible != 0 || failed.NumAllNodes != len(e.Nodes) {
		return fmt.Errorf("Schedule finds none of %d nodes, here %d of %d fit", failed.NumAllNodes, e.Feasible, len(e.Nodes))
	}
	for _, node := range e.Nodes {
		status := failed.Diagnosis.NodeToStatusMap[node.Name]
		code, reasons := e.refusalOf(node)
		if status.Code() != code || !reflect.DeepEqual(append([]string{}, status.Reasons()...), reasons) {
			return fmt.Errorf("Schedule refuses %s for %v %q, not %v %q", node.Name, status.Code(), status.Reasons(), code, reasons)
		}
	}
	return nil
}

// refusalOf is what filtering says of a node: what stands before all nodes, or its first filter plugin that fails.
func (e *explanation) refusalOf(node *answer.Node) (framework.Code, []string) {
	if refusal := e.preFiltered[e.refuser]; e.refuser != "" {
		return refusal.Code(), append([]string{}, refusal.Reasons()...)
	}
	for _, entry := range node.Filters {
		if entry.Fits {
			continue
		}
		code := framework.UnschedulableAndUnresolvable
		if *entry.Resolvable {
			code = framework.Unschedulable
		}
		return code, append([]string{}, entry.Reasons...)
	}
	return framework.Success, nil
}

func (e *explanation) proveChoice(result upstream.ScheduleResult) error {
	if result.FeasibleNodes != e.Feasible {
		return fmt.Errorf("Schedule finds %d nodes, here %d of %d fit", result.FeasibleNodes, e.Feasible, len(e.Nodes))
	}
	chosen, best := e.Node(result.SuggestedHost), e.Node(*e.Selected)
	if chosen == nil || !chosen.Fits {
		return fmt.Errorf("Schedule chooses %s, which does not fit", result.SuggestedHost)
	}
	if e.Feasible > 1 && *chosen.Total != *best.Total {
		return fmt.Errorf("Schedule chooses %s, which is not among the best", result.SuggestedHost)
	}
	return nil
}
