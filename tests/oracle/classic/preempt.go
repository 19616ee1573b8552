package main

import (
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"k8s.io/kubernetes/pkg/scheduler/util"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// listener is an extender that upstream asks about the nodes that it has found; it hands on some of them.
type listener struct {
	algorithm.SchedulerExtender // nil: nothing else is asked.
	found                       map[*v1.Node]*schedulerapi.Victims
	handOn                      func(name string) bool
}

func (l *listener) SupportsPreemption() bool  { return true }
func (l *listener) IsInterested(*v1.Pod) bool { return true }
func (l *listener) IsIgnorable() bool         { return false }

func (l *listener) ProcessPreemption(_ *v1.Pod, nodes map[*v1.Node]*schedulerapi.Victims,
	_ map[string]*schedulernodeinfo.NodeInfo) (map[*v1.Node]*schedulerapi.Victims, error) {
	l.found = nodes
	some := map[*v1.Node]*schedulerapi.Victims{}
	for node, victims := range nodes {
		if l.handOn(node.Name) {
			some[node] = victims
		}
	}
	return some, nil
}

// listen lets upstream ask the extender about preemptions, and about nothing else.
func (s *scheduler) listen(l *listener) (undo func()) {
	extenders := answer.Private(s.algorithm, "extenders").(*[]algorithm.SchedulerExtender)
	*extenders = []algorithm.SchedulerExtender{l}
	return func() { *extenders = nil }
}

// preemptAll is upstream's whole Preempt() for each pod that fits nowhere.
func preemptAll(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
	return dir.WritePreemptions(len(pods), func(i int) *answer.Preemption { return preempt(s, pods[i]) })
}

func preempt(s *scheduler, pod *v1.Pod) (p *answer.Preemption) {
	p = &answer.Preemption{Pod: cluster.NameOf(pod)}
	e := explain(s, pod)
	if e.Panic != "" || e.Ambiguous {
		p.Skipped = answer.SeveralAnswers
		return p
	}
	crash.Store("")
	defer func() {
		if cause := recover(); cause != nil {
			crash.Store(fmt.Sprint(cause))
		}
		if cause := crash.Load().(string); cause != "" {
			p = &answer.Preemption{Pod: p.Pod, Skipped: cause}
		}
	}()
	_, err := s.algorithm.Schedule(pod, framework.NewPluginContext())
	if _, ok := err.(*core.FitError); !ok {
		if p.Fits = err == nil; !p.Fits {
			p.Skipped = "upstream fails: " + err.Error()
		}
		return p
	}
	find(s, pod, e, err, p)
	return p
}

func find(s *scheduler, pod *v1.Pod, e *answer.Explanation, unfit error, p *answer.Preemption) {
	l := &listener{handOn: func(string) bool { return true }}
	undo := s.listen(l)
	defer undo()
	choose := func(handOn func(string) bool) string {
		l.handOn = handOn
		node, _, _, err := s.algorithm.Preempt(framework.NewPluginContext(), pod, unfit)
		if err != nil {
			panic(err)
		}
		if node == nil {
			return ""
		}
		return node.Name
	}
	choose(func(string) bool { return true })
	var names []string
	for node, victims := range l.found {
		if cluster.IsAnyOrder(s.infos[node.Name].Pods(), pod, util.GetPodPriority, true) {
			*p = answer.Preemption{Pod: p.Pod, Skipped: answer.NoOrder}
			return
		}
		names = append(names, node.Name)
		p.Nodes = append(p.Nodes, freed(e, node.Name, victims))
	}
	sort.Strings(names)
	sort.Slice(p.Nodes, func(i, j int) bool { return p.Nodes[i].Name < p.Nodes[j].Name })
	p.Best = answer.Drawn(names, func(among []string) string {
		return choose(func(name string) bool {
			for _, one := range among {
				if one == name {
					return true
				}
			}
			return false
		})
	})
}

func freed(e *answer.Explanation, name string, victims *schedulerapi.Victims) *answer.Freed {
	return &answer.Freed{Name: name, Victims: append([]string{}, cluster.NamesOf(victims.Pods)...), Violations: victims.NumPDBViolations,
		Turned: e.Node(name).Failed()}
}
