package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// surviveCrashes keeps a worker's panic from ending the process, as it ends upstream's.
func surviveCrashes() {
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = nil
}

// explanation is an answer in the making.
type explanation struct {
	*answer.Explanation
	s     *scheduler
	p     *profile
	pod   *v1.Pod
	state fwk.CycleState

	preFiltered map[string]preFiltered
	before      beforeNodes
	claims      []*v1.PersistentVolumeClaim // That wait for a volume.
	undecided   bool                        // By the volume binder, which.

	forgetsClass bool // That provides a resource which the pod requests.
}

// explain asks every filter plugin about every node, and every score plugin about every node that fits.
func explain(s *scheduler, pod *v1.Pod) *explanation { return explainAmong(s, pod, everyNode) }

func everyNode(feasible []*answer.Node) []*answer.Node { return feasible }

// explainAmong scores only what is kept of the nodes that fit.
func explainAmong(s *scheduler, pod *v1.Pod, keep func([]*answer.Node) []*answer.Node) (e *explanation) {
	e = &explanation{Explanation: &answer.Explanation{Pod: cluster.NameOf(pod)}, s: s, pod: pod}
	// What kills upstream has no answer to compare with.
	defer func() {
		if cause := recover(); cause != nil {
			e.Explanation = &answer.Explanation{Pod: e.Pod, Panic: fmt.Sprint(cause)}
		}
	}()
	if e.p = s.profileOf(pod); e.p == nil {
		e.Error = fmt.Sprintf("profile not found for scheduler name %q", cluster.SchedulerName(pod))
		return e
	}
	if len(s.names) == 0 { // Upstream asks no plugin either.
		return e
	}
	e.state = framework.NewCycleState()
	e.preFilter()
	feasible := e.filter()
	e.Feasible = len(feasible)
	e.score(keep(feasible))
	e.End()
	return e
}

// filter is RunFilterPlugins of framework/runtime/framework.go without its end at the first failure, and for the nodes
// too that upstream does not come to; it returns the nodes that fit.
func (e *explanation) filter() (feasible []*answer.Node) {
	e.claims = e.waitingClaims()
	e.undecided = e.isAmbiguousBinding()
	e.forgetsClass = e.requestsForgottenClass()
	all := e.filterRules()
	for _, name := range e.s.names {
		node := e.askTwice(all, e.s.info(name))
		e.Nodes = append(e.Nodes, node)
		node.Decides = e.decides(node)
		node.Devices = e.devices(node)
		if node.Fits {
			feasible = append(feasible, node)
		}
	}
	return feasible
}

// ask asks all rules about a node as it is in a state.
func (e *explanation) ask(all []filterRule, state fwk.CycleState, info fwk.NodeInfo) *answer.Node {
	name := info.Node().Name
	node := &answer.Node{Name: name, Fits: true}
	for _, rule := range all {
		entry, status := e.verdict(rule, state, info)
		entry.Ambiguous = e.isAmbiguousVerdict(rule, info, status)
		e.Ambiguous = e.Ambiguous || entry.Ambiguous
		if node.Fits && status.IsError() && e.before.reaches(name) {
			e.Fail(fmt.Sprintf("running %q filter plugin: %v", rule.name, status.AsError()))
		}
		node.Fits = node.Fits && entry.Fits
		node.Filters = append(node.Filters, entry)
	}
	return node
}

// decides names the rule whose word on the node is upstream's: one that refuses the pod, or else the first that leaves the
// node out, or else the first filter that it fails.
func (e *explanation) decides(node *answer.Node) string {
	if e.before.refuser != "" {
		return e.before.refuser
	}
	for _, plugin := range e.p.preFilters {
		if names := e.preFiltered[plugin.Name()].names; !names.AllNodes() && !names.NodeNames.Has(node.Name) {
			return plugin.Name()
		}
	}
	if entry := node.Refusal(); entry != nil {
		return entry.Rule
	}
	return ""
}

// filterRule is one entry at each node. filter is nil where the plugin is in the profile's PreFilter list only.
type filterRule struct {
	name   string
	filter fwk.FilterPlugin
}

// filterRules are the Filter plugins in their order, and behind them those that have a say by their PreFilter alone.
func (e *explanation) filterRules() (all []filterRule) {
	seen := sets.New[string]()
	for _, plugin := range e.p.filters {
		seen.Insert(plugin.Name())
		if rules[plugin.Name()] {
			all = append(all, filterRule{plugin.Name(), plugin})
		}
	}
	for _, plugin := range e.p.preFilters {
		if rules[plugin.Name()] && !seen.Has(plugin.Name()) {
			all = append(all, filterRule{plugin.Name(), nil})
		}
	}
	return all
}

// verdict asks the rule about the node, unless its PreFilter has said everything. The status is Filter's.
func (e *explanation) verdict(rule filterRule, state fwk.CycleState, info fwk.NodeInfo) (answer.Filter, *fwk.Status) {
	before := e.preFiltered[rule.name]
	switch {
	case before.status.IsSkip():
		return answer.Filter{Rule: rule.name, Fits: true, Skipped: true}, nil
	case !before.status.IsSuccess():
		return verdictOf(rule.name, before.status), nil
	case !before.names.AllNodes() && !before.names.NodeNames.Has(info.Node().Name):
		return verdictOf(rule.name, e.outside(rule.name, info)), nil
	case rule.filter == nil:
		return answer.Filter{Rule: rule.name, Fits: true}, nil
	}
	status := rule.filter.Filter(e.s.ctx, state, e.pod, info)
	return verdictOf(rule.name, status), status
}

// outside is what the plugin's own Filter says of a node that its PreFilter left out.
func (e *explanation) outside(name string, info fwk.NodeInfo) *fwk.Status {
	text := fmt.Sprintf("node(s) didn't satisfy plugin(s) [%s]", name)
	if filter, ok := e.p.plugins[name].(fwk.FilterPlugin); ok {
		if status := filter.Filter(e.s.ctx, e.state, e.pod, info); status.IsRejected() {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, status.Reasons()...)
		}
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, text)
}

func verdictOf(name string, status *fwk.Status) answer.Filter {
	entry := answer.Filter{Rule: name, Fits: status.IsSuccess()}
	if entry.Fits {
		return entry
	}
	resolvable := status.Code() == fwk.Unschedulable
	entry.Resolvable = &resolvable
	if status.IsRejected() {
		entry.Reasons = status.Reasons()
	} else {
		entry.Error = status.AsError().Error()
	}
	return entry
}
