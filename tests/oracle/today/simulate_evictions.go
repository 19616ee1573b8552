package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	"winnow.test/oracle/answer"
)

// setBudgets does the disruption controller's work, as Winnow says it.
func (m *simulation) setBudgets(allowed map[string]int32) {
	all, _ := m.known.Policy().V1().PodDisruptionBudgets().Lister().List(everything)
	for _, budget := range all {
		if n, ok := allowed[budget.Namespace+"/"+budget.Name]; ok && n != budget.Status.DisruptionsAllowed {
			changed := budget.DeepCopy()
			changed.Status.DisruptionsAllowed = n
			informerOf(m.known, changed).update(changed)
		}
	}
}

// evict makes the victims leave at once. Their controllers make them anew: they wait. On their node, which is returned, the
// nominations of lower priority than the pod's end.
func (m *simulation) evict(pod *v1.Pod, attempt answer.Attempt) (node string, err error) {
	logger := klog.FromContext(m.ctx)
	for _, name := range attempt.Victims {
		victim := m.placed[name]
		if victim == nil {
			return "", fmt.Errorf("its victim %s has no node", name)
		}
		node = victim.Spec.NodeName
		if err := m.upstream.Cache.RemovePod(logger, victim); err != nil {
			return "", err
		}
		delete(m.placed, name)
		again := victim.DeepCopy()
		again.Spec.NodeName, again.Status = "", v1.PodStatus{}
		m.waiting[name] = again
	}
	for _, other := range m.upstream.SchedulingQueue.NominatedPodsForNode(node) {
		if corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(pod) {
			m.upstream.SchedulingQueue.DeleteNominatedPodIfExists(other.GetPod())
			if known := m.waiting[nameOf(other.GetPod())]; known != nil {
				known.Status.NominatedNodeName = ""
			}
		}
	}
	return node, m.putInOrder(node)
}

// putInOrder lets the cache get the node's pods by namespace and name again: a pod that leaves or comes changes their order.
func (m *simulation) putInOrder(node string) error {
	if err := m.takeSnapshot(); err != nil || !m.preempts {
		return err
	}
	var pods []interface{}
	for _, pod := range m.info(node).GetPods() {
		pods = append(pods, pod.GetPod())
	}
	logger := klog.FromContext(m.ctx)
	for _, pod := range sorted(pods) {
		if err := m.upstream.Cache.RemovePod(logger, pod.(*v1.Pod)); err != nil {
			return err
		}
	}
	for _, pod := range pods {
		if err := m.upstream.Cache.AddPod(logger, pod.(*v1.Pod)); err != nil {
			return err
		}
	}
	return m.takeSnapshot()
}
