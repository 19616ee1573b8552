package main

import (
	"errors"
	"reflect"

	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
)

func (e *explanation) proof() answer.Proof {
	return answer.Proof{Explanation: e.Explanation, Method: "Schedule"}
}

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
		return e.proof().Error(err, errors.As(err, &failed))
	case errors.Is(err, upstream.ErrNoNodesAvailable):
		return e.proof().NoNodes()
	case errors.As(err, &failed):
		return e.proveUnfit(failed)
	case err != nil:
		return e.proof().Unproven("fails: %v", err)
	}
	return e.proof().Choice(result.FeasibleNodes, e.Feasible, result.SuggestedHost, true)
}

// isLimitOpen: upstream's answer may differ from call to call.
func isLimitOpen(e *explanation) bool { return e.IsAmbiguousBy("EBSLimits") }

// schedule asks upstream about the pod as it comes out of the queue, but nominated for no node: it would try that one first.
func (e *explanation) schedule() (upstream.ScheduleResult, error) {
	pod := *e.pod
	pod.Status.NominatedNodeName = ""
	return e.s.upstream.Algorithm.Schedule(e.s.ctx, nil, e.p.framework, framework.NewCycleState(), &pod)
}

func (e *explanation) proveUnfit(failed *framework.FitError) error {
	if err := e.proof().NoneOf(failed.NumAllNodes); err != nil {
		return err
	}
	for _, node := range e.Nodes {
		status := failed.Diagnosis.NodeToStatusMap[node.Name]
		code, reasons := e.refusalOf(node)
		if status.Code() != code || !reflect.DeepEqual(append([]string{}, status.Reasons()...), reasons) {
			return e.proof().Unproven("refuses %s for %v %q, not %v %q", node.Name, status.Code(), status.Reasons(), code, reasons)
		}
	}
	return nil
}

// refusalOf is what filtering says of a node: what stands before all nodes, or its first filter plugin that fails.
func (e *explanation) refusalOf(node *answer.Node) (framework.Code, []string) {
	if refusal := e.preFiltered[e.refuser]; e.refuser != "" {
		return refusal.Code(), append([]string{}, refusal.Reasons()...)
	}
	entry := node.Refusal()
	if entry == nil {
		return framework.Success, nil
	}
	code := framework.UnschedulableAndUnresolvable
	if *entry.Resolvable {
		code = framework.Unschedulable
	}
	return code, append([]string{}, entry.Reasons...)
}
