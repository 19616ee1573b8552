package main

import (
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/util"
	"winnow.test/oracle/answer"
)

// setBudgets does the disruption controller's work, as Winnow says it.
func (m *simulation) setBudgets(allowed map[string]int32) {
	budgets := m.known.Policy().V1beta1().PodDisruptionBudgets()
	all, _ := budgets.Lister().List(everything)
	for _, budget := range all {
		if n, ok := allowed[budget.Namespace+"/"+budget.Name]; ok && n != budget.Status.PodDisruptionsAllowed {
			changed := budget.DeepCopy()
			changed.Status.PodDisruptionsAllowed = n
			budgets.Informer().(*fixed).update(changed)
		}
	}
}

// evict makes the victims leave at once. Their controllers make them anew: they wait. On their node the nominations of lower
// priority than the pod's end.
func (m *simulation) evict(pod *v1.Pod, attempt answer.Attempt) error {
	node := ""
	for _, name := range attempt.Victims {
		victim := m.placed[name]
		if victim == nil {
			return fmt.Errorf("its victim %s has no node", name)
		}
		node = victim.Spec.NodeName
		if err := m.config.SchedulerCache.RemovePod(victim); err != nil {
			return err
		}
		delete(m.placed, name)
		again := victim.DeepCopy()
		again.Spec.NodeName, again.Status = "", v1.PodStatus{}
		m.waiting[name] = again
	}
	for _, other := range append([]*v1.Pod{}, m.nominated(node)...) { // The queue's own list, which becomes shorter.
		if util.GetPodPriority(other) < util.GetPodPriority(pod) {
			m.config.SchedulingQueue.DeleteNominatedPodIfExists(other)
			other.Status.NominatedNodeName = ""
		}
	}
	return m.putInOrder(node)
}

// putInOrder lets the cache get the node's pods by namespace and name again: a pod that leaves or comes changes their order.
func (m *simulation) putInOrder(node string) error {
	if err := m.takeSnapshot(); err != nil || !m.preempts {
		return err
	}
	pods := append([]*v1.Pod{}, m.infos[node].Pods()...)
	sort.Slice(pods, func(i, j int) bool { return before(pods[i], pods[j]) })
	for _, pod := range pods {
		if err := m.config.SchedulerCache.RemovePod(pod); err != nil {
			return err
		}
	}
	for _, pod := range pods {
		if err := m.config.SchedulerCache.AddPod(pod); err != nil {
			return err
		}
	}
	return m.takeSnapshot()
}
