package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

type filterEntry struct {
	Rule       string   `json:"rule"`
	Fits       bool     `json:"fits"`
	Resolvable *bool    `json:"resolvable,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
	Error      string   `json:"error,omitempty"`
}

type scoreEntry struct {
	Rule   string `json:"rule"`
	Raw    int    `json:"raw"`
	Score  int    `json:"score"`
	Weight int    `json:"weight"`
}

type nodeEntry struct {
	Name    string        `json:"name"`
	Fits    bool          `json:"fits"`
	Filters []filterEntry `json:"filters"`
	Scores  []scoreEntry  `json:"scores,omitempty"`
	Total   *int          `json:"total,omitempty"`
}

type explanation struct {
	Pod      string       `json:"pod"`
	Feasible int          `json:"feasible"`
	Selected *string      `json:"selected"`
	Error    string       `json:"error,omitempty"`
	Panic    string       `json:"panic,omitempty"`
	Nodes    []*nodeEntry `json:"nodes"`
}

// core/generic_scheduler.go unresolvablePredicateFailureErrors.
var unresolvable = map[predicates.PredicateFailureReason]struct{}{
	predicates.ErrNodeSelectorNotMatch:      {},
	predicates.ErrPodAffinityRulesNotMatch:  {},
	predicates.ErrPodNotMatchHostName:       {},
	predicates.ErrTaintsTolerationsNotMatch: {},
	predicates.ErrNodeLabelPresenceViolated: {},
	predicates.ErrNodeNotReady:              {},
	predicates.ErrNodeNetworkUnavailable:    {},
	predicates.ErrNodeUnderDiskPressure:     {},
	predicates.ErrNodeUnderPIDPressure:      {},
	predicates.ErrNodeUnderMemoryPressure:   {},
	predicates.ErrNodeUnschedulable:         {},
	predicates.ErrNodeUnknownCondition:      {},
	predicates.ErrVolumeZoneConflict:        {},
	predicates.ErrVolumeNodeConflict:        {},
	predicates.ErrVolumeBindConflict:        {},
}

func explain(c *cluster, r *rules, pod *v1.Pod) (e *explanation) {
	e = &explanation{Pod: pod.Namespace + "/" + pod.Name}
	// What kills upstream (a preferAvoidPods entry without podController) has no answer to compare with.
	defer func() {
		if cause := recover(); cause != nil {
			e = &explanation{Pod: e.Pod, Panic: fmt.Sprint(cause)}
		}
	}()
	if err := basicChecks(c, pod); err != nil {
		e.Error = err.Error()
	}
	var feasible []*nodeEntry
	meta := predicates.NewPredicateMetadataFactory(nil)(pod, c.infos) // The lister is CheckServiceAffinity's.
	for _, name := range c.nodeNames {
		node := &nodeEntry{Name: name, Fits: true}
		e.Nodes = append(e.Nodes, node)
		for _, p := range r.predicates {
			entry := filterEntry{Rule: p.name}
			fits, reasons, err := p.fits(pod, meta, c.infos[name])
			entry.Fits = fits && err == nil
			if err != nil {
				entry.Error = err.Error()
				if node.Fits && e.Error == "" {
					e.Error = entry.Error
				}
			}
			if !entry.Fits {
				node.Fits = false
				entry.Resolvable = new(bool)
				*entry.Resolvable = err == nil
				for _, reason := range reasons {
					entry.Reasons = append(entry.Reasons, reason.GetReason())
					if _, ok := unresolvable[reason]; ok {
						*entry.Resolvable = false
					}
				}
			}
			node.Filters = append(node.Filters, entry)
		}
		if node.Fits {
			feasible = append(feasible, node)
		}
	}
	e.Feasible = len(feasible)
	score(c, r, pod, e, feasible)
	if e.Error != "" {
		e.Feasible = 0
		e.Selected = nil
	}
	return e
}

// core/generic_scheduler.go podPassesBasicChecks.
func basicChecks(c *cluster, pod *v1.Pod) error {
	for i := range pod.Spec.Volumes {
		claim := pod.Spec.Volumes[i].PersistentVolumeClaim
		if claim == nil {
			continue
		}
		pvc, err := c.pvcs.PersistentVolumeClaims(pod.Namespace).Get(claim.ClaimName)
		if err != nil {
			return err
		}
		if pvc.DeletionTimestamp != nil {
			return fmt.Errorf("persistentvolumeclaim %q is being deleted", pvc.Name)
		}
	}
	return nil
}

// core/generic_scheduler.go PrioritizeNodes, which keeps no raw scores.
func score(c *cluster, r *rules, pod *v1.Pod, e *explanation, feasible []*nodeEntry) {
	if len(feasible) == 0 {
		return
	}
	meta := priorities.NewPriorityMetadataFactory(c.services, c.rcs, c.rss, c.sss)(pod, c.infos)
	var errs []error
	scores := make([][]scoreEntry, len(feasible))
	for _, p := range r.priorities {
		m, reduce := p.make(c)
		list := make(schedulerapi.HostPriorityList, len(feasible))
		for i, node := range feasible {
			var err error
			if list[i], err = m(pod, meta, c.infos[node.Name]); err != nil {
				errs = append(errs, err)
				list[i].Host = node.Name
			}
			scores[i] = append(scores[i], scoreEntry{Rule: p.name, Weight: p.weight, Raw: list[i].Score})
		}
		if reduce != nil {
			if err := reduce(pod, meta, c.infos, list); err != nil {
				errs = append(errs, err)
			}
		}
		for i := range feasible {
			scores[i][len(scores[i])-1].Score = list[i].Score
		}
	}
	if len(errs) != 0 {
		if e.Error == "" && len(feasible) > 1 { // One feasible node is not scored.
			e.Error = errors.NewAggregate(errs).Error()
		}
		if len(feasible) == 1 {
			e.Selected = &feasible[0].Name
		}
		return
	}
	totals := prioritize(c, r, pod, meta, feasible)
	best := 0
	for i, node := range feasible {
		node.Scores = scores[i]
		node.Total = &totals[i]
		if *node.Total > *feasible[best].Total {
			best = i
		}
	}
	e.Selected = &feasible[best].Name
}

// prioritize asks upstream's PrioritizeNodes itself for the totals, which proves the scores above.
func prioritize(c *cluster, r *rules, pod *v1.Pod, meta interface{}, feasible []*nodeEntry) []int {
	var configs []priorities.PriorityConfig
	for _, p := range r.priorities {
		m, reduce := p.make(c)
		configs = append(configs, priorities.PriorityConfig{Name: p.name, Map: m, Reduce: reduce, Weight: p.weight})
	}
	var nodes []*v1.Node
	for _, node := range feasible {
		nodes = append(nodes, c.infos[node.Name].Node())
	}
	fw, err := framework.NewFramework(framework.Registry{}, nil, nil)
	if err != nil {
		panic(err)
	}
	list, err := core.PrioritizeNodes(pod, c.infos, meta, configs, nodes, nil, fw, framework.NewPluginContext())
	if err != nil {
		panic(err)
	}
	totals := make([]int, len(list))
	for i, host := range list {
		if host.Host != feasible[i].Name {
			panic(host.Host)
		}
		totals[i] = host.Score
	}
	return totals
}
