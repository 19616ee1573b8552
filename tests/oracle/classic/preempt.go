package main

import (
	"fmt"
	"reflect"
	"sort"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"k8s.io/kubernetes/pkg/scheduler/util"
	"winnow.test/oracle/answer"
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
	field := reflect.ValueOf(s.algorithm).Elem().FieldByName("extenders")
	extenders := (*[]algorithm.SchedulerExtender)(unsafe.Pointer(field.UnsafeAddr()))
	*extenders = []algorithm.SchedulerExtender{l}
	return func() { *extenders = nil }
}

// preemptAll is upstream's whole Preempt() for each pod that fits nowhere.
func preemptAll(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
	return dir.WritePreemptions(len(pods), func(i int) *answer.Preemption { return preempt(s, pods[i]) })
}

func preempt(s *scheduler, pod *v1.Pod) (p *answer.Preemption) {
	p = &answer.Preemption{Pod: pod.Namespace + "/" + pod.Name}
	e := explain(s, pod)
	if e.Panic != "" || e.Ambiguous {
		p.Skipped = "what upstream says of this pod is one of several answers"
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
		if isAnyOrder(s.infos[node.Name], pod) {
			*p = answer.Preemption{Pod: p.Pod, Skipped: "more equally important pods on a node than a sort keeps in order"}
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

// isAnyOrder: Go's sort is stable up to twelve elements. A pod that has not started has started "now", later than itself.
func isAnyOrder(info *schedulernodeinfo.NodeInfo, pod *v1.Pod) bool {
	const stable = 12
	lower, seen, equal := 0, map[string]bool{}, false
	for _, other := range info.Pods() {
		if util.GetPodPriority(other) >= util.GetPodPriority(pod) {
			continue
		}
		lower++
		key := fmt.Sprint(util.GetPodPriority(other), other.Status.StartTime)
		if seen[key] && other.Status.StartTime == nil {
			return true
		}
		equal = equal || seen[key]
		seen[key] = true
	}
	return equal && lower > stable
}

func freed(e *answer.Explanation, name string, victims *schedulerapi.Victims) *answer.Freed {
	f := &answer.Freed{Name: name, Victims: []string{}, Violations: victims.NumPDBViolations}
	for _, victim := range victims.Pods {
		f.Victims = append(f.Victims, victim.Namespace+"/"+victim.Name)
	}
	for _, entry := range e.Node(name).Filters {
		if !entry.Fits {
			f.Turned = append(f.Turned, entry.Rule)
		}
	}
	return f
}
