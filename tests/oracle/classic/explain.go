package main

import (
	"fmt"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	_ "k8s.io/kubernetes/pkg/scheduler/core"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"k8s.io/kubernetes/pkg/scheduler/util"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"

	_ "unsafe" // For linkname.
)

// unresolvable is core/generic_scheduler.go's.
//
//go:linkname unresolvable k8s.io/kubernetes/pkg/scheduler/core.unresolvablePredicateFailureErrors
var unresolvable map[predicates.PredicateFailureReason]struct{}

// crash is what one of upstream's workers died of.
var crash atomic.Value

// surviveCrashes keeps a worker's panic from ending the process, as it ends upstream's.
func surviveCrashes() {
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(interface{}){func(cause interface{}) { crash.Store(fmt.Sprint(cause)) }}
}

// explain asks every predicate about every node, and every priority about every node that fits.
func explain(s *scheduler, pod *v1.Pod) (e *answer.Explanation) {
	e = &answer.Explanation{Pod: cluster.NameOf(pod)}
	crash.Store("")
	// What kills upstream (a preferAvoidPods entry without podController) has no answer to compare with.
	defer func() {
		if cause := recover(); cause != nil {
			crash.Store(fmt.Sprint(cause))
		}
		if cause := crash.Load().(string); cause != "" {
			e = &answer.Explanation{Pod: e.Pod, Panic: cause}
		}
	}()
	if err := basicChecks(s, pod); err != nil {
		e.Error = err.Error()
	}
	feasible := filter(s, pod, e)
	e.Feasible = len(feasible)
	score(s, pod, e, feasible)
	e.End()
	return e
}

// core/generic_scheduler.go podPassesBasicChecks.
func basicChecks(s *scheduler, pod *v1.Pod) error {
	for i := range pod.Spec.Volumes {
		claim := pod.Spec.Volumes[i].PersistentVolumeClaim
		if claim == nil {
			continue
		}
		pvc, err := s.pvcs.PersistentVolumeClaims(pod.Namespace).Get(claim.ClaimName)
		if err != nil {
			return err
		}
		if pvc.DeletionTimestamp != nil {
			return fmt.Errorf("persistentvolumeclaim %q is being deleted", pvc.Name)
		}
	}
	return nil
}

// filter is podFitsOnNode of core/generic_scheduler.go without its end at the first failure; it returns the nodes that fit.
func filter(s *scheduler, pod *v1.Pod, e *answer.Explanation) (feasible []*answer.Node) {
	meta := s.predicateMeta(pod, s.infos)
	ambiguous := make([]bool, len(s.predicates))
	for i, p := range s.predicates {
		ambiguous[i] = isAmbiguousPredicate(s, p, pod, meta)
		e.Ambiguous = e.Ambiguous || ambiguous[i]
	}
	for _, name := range s.names {
		node := askTwice(s, pod, e, ambiguous, meta, s.infos[name])
		e.Nodes = append(e.Nodes, node)
		if node.Fits {
			feasible = append(feasible, node)
		}
	}
	return feasible
}

// askTwice: of the two passes of podFitsOnNode the first that fails.
func askTwice(s *scheduler, pod *v1.Pod, e *answer.Explanation, ambiguous []bool, meta predicates.PredicateMetadata, info *schedulernodeinfo.NodeInfo) *answer.Node {
	if with, more := withNominated(s, pod, meta, info); more != nil {
		if node := ask(s, pod, e, ambiguous, with, more); !node.Fits {
			return node
		}
	}
	return ask(s, pod, e, ambiguous, meta, info)
}

// withNominated is addNominatedPods; it returns nil where there is nobody to add.
func withNominated(s *scheduler, pod *v1.Pod, meta predicates.PredicateMetadata, info *schedulernodeinfo.NodeInfo) (with predicates.PredicateMetadata, more *schedulernodeinfo.NodeInfo) {
	for _, other := range s.nominated(info.Node().Name) {
		if util.GetPodPriority(other) < util.GetPodPriority(pod) || other.UID == pod.UID {
			continue
		}
		if more == nil {
			more = info.Clone()
			if meta != nil {
				with = meta.ShallowCopy()
			}
		}
		more.AddPod(other)
		if with != nil {
			with.AddPod(other, more)
		}
	}
	return with, more
}

// ask asks all predicates about a node as it is with the metadata.
func ask(s *scheduler, pod *v1.Pod, e *answer.Explanation, ambiguous []bool, meta predicates.PredicateMetadata, info *schedulernodeinfo.NodeInfo) *answer.Node {
	node := &answer.Node{Name: info.Node().Name, Fits: true}
	for i, p := range s.predicates {
		fits, reasons, err := p.fits(pod, meta, info)
		entry := verdict(p.name, fits, reasons, err)
		entry.Ambiguous = ambiguous[i]
		if err != nil && e.Error == "" && (node.Fits || s.alwaysAll) {
			e.Error = entry.Error
		}
		node.Fits = node.Fits && entry.Fits
		node.Filters = append(node.Filters, entry)
	}
	return node
}

func verdict(name string, fits bool, reasons []predicates.PredicateFailureReason, err error) answer.Filter {
	entry := answer.Filter{Rule: name, Fits: fits && err == nil}
	if entry.Fits {
		return entry
	}
	resolvable := err == nil
	for _, reason := range reasons {
		entry.Reasons = append(entry.Reasons, reason.GetReason())
		if _, ok := unresolvable[reason]; ok {
			resolvable = false
		}
	}
	entry.Resolvable = &resolvable
	if err != nil {
		entry.Error = err.Error()
	}
	return entry
}
