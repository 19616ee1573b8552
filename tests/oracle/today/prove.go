package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
)

func (e *explanation) proof() answer.Proof {
	return answer.Proof{Explanation: e.Explanation, Method: "SchedulePod"}
}

// prove holds an explanation against upstream's whole SchedulePod, which looks at all nodes and scores all that fit.
func prove(e *explanation) error {
	if e.Panic != "" || e.p == nil || e.IsAmbiguousBy("VolumeBinding") { // The volume binder's choice may differ from call to call.
		return nil
	}
	result, err := e.schedule()
	var failed *framework.FitError
	switch {
	case e.Error != "" && !e.mayStopBefore():
		return e.proof().Error(err, errors.As(err, &failed))
	case e.Error != "":
		return nil
	case errors.Is(err, upstream.ErrNoNodesAvailable):
		return e.proof().NoNodes()
	case errors.As(err, &failed):
		return e.proveUnfit(failed)
	case err != nil:
		return e.proof().Unproven("fails: %v", err)
	}
	return e.proveChoice(result)
}

// schedule asks upstream about the pod as it comes out of the queue, but nominated for no node: it would try that one first.
func (e *explanation) schedule() (upstream.ScheduleResult, error) {
	pod := *e.pod
	pod.Status.NominatedNodeName = ""
	info, _ := framework.NewPodInfo(&pod) // The queue does not mind what cannot be parsed.
	return e.s.upstream.SchedulePod(e.s.ctx, e.p.framework, framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
}

// stopsAtFirst: where no node is to be scored, upstream looks for one only.
func (e *explanation) stopsAtFirst() bool { return len(e.p.scores) == 0 && len(e.p.filters) > 0 }

// mayStopBefore the node that gives the error?
func (e *explanation) mayStopBefore() bool {
	return e.stopsAtFirst() && slices.ContainsFunc(e.Nodes, func(node *answer.Node) bool { return node.Fits })
}

func (e *explanation) proveUnfit(failed *framework.FitError) error {
	if err := e.proof().NoneOf(failed.NumAllNodes); err != nil {
		return err
	}
	for _, node := range e.Nodes {
		status := failed.Diagnosis.NodeToStatus.Get(node.Name)
		code, reasons := e.refusalOf(node)
		theirs := append([]string{}, status.Reasons()...)
		sort.Strings(theirs) // Scalar resources come in any order.
		sort.Strings(reasons)
		if status.Code() != code || !reflect.DeepEqual(theirs, reasons) && !isAmbiguous(node) {
			return e.proof().Unproven("refuses %s for %v %q, not %v %q", node.Name, status.Code(), theirs, code, reasons)
		}
	}
	return nil
}

// refusalOf is what filtering says of a node: what stands before all nodes, or its first filter plugin that fails.
func (e *explanation) refusalOf(node *answer.Node) (fwk.Code, []string) {
	if e.before.refusal != nil {
		return e.before.refusal.Code(), append([]string{}, e.before.refusal.Reasons()...)
	}
	if !e.before.reaches(node.Name) {
		return fwk.UnschedulableAndUnresolvable, []string{fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(e.before.by))}
	}
	entry := node.Refusal()
	if entry == nil {
		return fwk.Success, nil
	}
	code := fwk.UnschedulableAndUnresolvable
	if *entry.Resolvable {
		code = fwk.Unschedulable
	}
	return code, append([]string{}, entry.Reasons...)
}

func isAmbiguous(node *answer.Node) bool {
	for _, entry := range node.Filters {
		if entry.Ambiguous {
			return true
		}
	}
	return false
}

func (e *explanation) proveChoice(result upstream.ScheduleResult) error {
	feasible := e.Feasible
	if e.stopsAtFirst() && feasible > 0 {
		feasible = 1
	}
	return e.proof().Choice(result.FeasibleNodes, feasible, result.SuggestedHost, !e.hasAmbiguousScore())
}

func (e *explanation) hasAmbiguousScore() bool {
	for _, node := range e.Nodes {
		for _, entry := range node.Scores {
			if entry.Ambiguous {
				return true
			}
		}
	}
	return false
}
