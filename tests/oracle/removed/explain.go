package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
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
	state *framework.CycleState

	preFiltered map[string]*framework.Status // What the plugins' PreFilters said.
	ended       bool                         // One of them did not succeed: no Filter is run.
	refuser     string                       // That one, where it refuses the pod.
}

// explain asks every filter plugin about every node, and every score plugin about every node that fits.
func explain(s *scheduler, pod *v1.Pod) *explanation { return explainAmong(s, pod, everyNode) }

func everyNode(feasible []*answer.Node) []*answer.Node { return feasible }

// explainAmong scores only what is kept of the nodes that fit.
func explainAmong(s *scheduler, pod *v1.Pod, keep func([]*answer.Node) []*answer.Node) (e *explanation) {
	e = &explanation{Explanation: &answer.Explanation{Pod: cluster.NameOf(pod)}, s: s, pod: pod}
	// What kills upstream (a preferAvoidPods entry without podController) has no answer to compare with.
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

// preFilter asks every PreFilter, also those behind one that fails. In v1.22 none can be skipped, and none names nodes.
func (e *explanation) preFilter() {
	e.preFiltered = map[string]*framework.Status{}
	for _, plugin := range e.p.preFilters {
		status := plugin.PreFilter(e.s.ctx, e.state, e.pod)
		e.preFiltered[plugin.Name()] = status
		if status.IsSuccess() || e.ended {
			continue
		}
		e.ended = true
		if status.IsUnschedulable() {
			e.refuser = plugin.Name()
		} else {
			e.Error = fmt.Sprintf("running PreFilter plugin %q: %v", plugin.Name(), status.AsError())
		}
	}
}

// filter is RunFilterPlugins of framework/runtime/framework.go without its end at the first failure; it returns the nodes
// that fit.
func (e *explanation) filter() (feasible []*answer.Node) {
	all := e.filterRules()
	for _, name := range e.s.names {
		node := e.askTwice(all, e.s.info(name))
		e.Nodes = append(e.Nodes, node)
		node.Decides = e.decides(node)
		if node.Fits {
			feasible = append(feasible, node)
		}
	}
	return feasible
}

// ask asks all rules about a node as it is in a state.
func (e *explanation) ask(all []filterRule, state *framework.CycleState, info *framework.NodeInfo) *answer.Node {
	node := &answer.Node{Name: info.Node().Name, Fits: true, Filters: []answer.Filter{}}
	for _, rule := range all {
		status := e.statusOf(rule, state, info)
		entry := verdictOf(rule.name, status)
		entry.Ambiguous = rule.name == "EBSLimits" && e.isAmbiguousLimit(rule, state, info)
		e.Ambiguous = e.Ambiguous || entry.Ambiguous
		if node.Fits && status.Code() == framework.Error && !e.ended {
			e.Fail(fmt.Sprintf("running %q filter plugin: %v", rule.name, status.AsError()))
		}
		node.Fits = node.Fits && entry.Fits
		node.Filters = append(node.Filters, entry)
	}
	return node
}

// decides names the rule whose word on the node is upstream's: one that refuses the pod, or else the first filter that it
// fails.
func (e *explanation) decides(node *answer.Node) string {
	if e.refuser != "" {
		return e.refuser
	}
	if entry := node.Refusal(); entry != nil {
		return entry.Rule
	}
	return ""
}

// filterRule is one entry at each node. filter is nil where the plugin is in the profile's PreFilter list only.
type filterRule struct {
	name   string
	filter framework.FilterPlugin
}

// filterRules are the Filter plugins in their order, and behind them those that have a say by their PreFilter alone.
func (e *explanation) filterRules() (all []filterRule) {
	seen := map[string]bool{}
	for _, plugin := range e.p.filters {
		seen[plugin.Name()] = true
		if rules[plugin.Name()] {
			all = append(all, filterRule{plugin.Name(), plugin})
		}
	}
	for _, plugin := range e.p.preFilters {
		if rules[plugin.Name()] && !seen[plugin.Name()] {
			all = append(all, filterRule{plugin.Name(), nil})
		}
	}
	return all
}

// statusOf asks the rule about the node, unless its PreFilter has said everything.
func (e *explanation) statusOf(rule filterRule, state *framework.CycleState, info *framework.NodeInfo) *framework.Status {
	if before := e.preFiltered[rule.name]; !before.IsSuccess() || rule.filter == nil {
		return before
	}
	return rule.filter.Filter(e.s.ctx, state, e.pod, info)
}

func verdictOf(name string, status *framework.Status) answer.Filter {
	entry := answer.Filter{Rule: name, Fits: status.IsSuccess()}
	if entry.Fits {
		return entry
	}
	resolvable := status.Code() == framework.Unschedulable
	entry.Resolvable = &resolvable
	if status.IsUnschedulable() {
		entry.Reasons = status.Reasons()
	} else {
		entry.Error = status.AsError().Error()
	}
	return entry
}
