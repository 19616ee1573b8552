package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// preFiltered is what one plugin's PreFilter said; the zero value, what one says that has none.
type preFiltered struct {
	names     *fwk.PreFilterResult
	status    *fwk.Status
	ambiguous bool
}

// beforeNodes is where upstream stands when all PreFilters have run, or as many as it runs: RunPreFilterPlugins of
// framework/runtime/framework.go.
type beforeNodes struct {
	ended   bool                 // No Filter is run.
	refusal *fwk.Status          // All nodes' status.
	refuser string               // Whose it is; "" where names have nothing in common.
	names   *fwk.PreFilterResult // Filter runs on these.
	by      sets.Set[string]     // The plugins that named them.
}

func (b *beforeNodes) reaches(node string) bool {
	return !b.ended && b.refusal == nil && (b.names.AllNodes() || b.names.NodeNames.Has(node))
}

// endsByPlugin: a plugin refuses the pod, or fails.
func (b *beforeNodes) endsByPlugin() bool { return b.refuser != "" || b.ended && b.refusal == nil }

// preFilter asks every PreFilter, also those behind a refusal, and follows what upstream makes of their answers.
func (e *explanation) preFilter() {
	e.preFiltered = map[string]preFiltered{}
	e.before.by = sets.New[string]()
	skipped := sets.New[string]()
	for _, plugin := range e.p.preFilters {
		name := plugin.Name()
		if !rules[name] {
			continue
		}
		names, status := plugin.PreFilter(e.s.ctx, e.state, e.pod, e.s.all)
		e.preFiltered[name] = preFiltered{names, status, e.isAmbiguousRefusal(plugin, status)}
		if status.IsSkip() {
			skipped.Insert(name)
		} else if !e.before.ended {
			e.follow(name, names, status)
		}
	}
	e.state.SetSkipFilterPlugins(skipped)
}

func (e *explanation) follow(name string, names *fwk.PreFilterResult, status *fwk.Status) {
	b := &e.before
	switch {
	case status.IsRejected():
		b.refusal, b.refuser = status, name
		b.ended = status.Code() == fwk.UnschedulableAndUnresolvable
		return
	case !status.IsSuccess():
		b.ended = true
		e.Error = fmt.Sprintf("running PreFilter plugin %q: %v", name, status.AsError())
		return
	}
	if !names.AllNodes() {
		b.by.Insert(name)
	}
	b.names = b.names.Merge(names)
	if !b.names.AllNodes() && len(b.names.NodeNames) == 0 {
		b.ended = true
		b.refusal = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, nowhere(sets.List(b.by)))
	}
}

func nowhere(plugins []string) string {
	if len(plugins) == 1 {
		return fmt.Sprintf("node(s) didn't satisfy plugin %v", plugins[0])
	}
	return fmt.Sprintf("node(s) didn't satisfy plugin(s) %v simultaneously", plugins)
}
