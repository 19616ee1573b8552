package main

import (
	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"winnow.test/oracle/common/cluster"
)

func (s simulated) Allow(allowed map[string]int32) {
	budgets, _ := s.known.Policy().V1().PodDisruptionBudgets().Lister().List(cluster.Everything)
	for _, budget := range budgets {
		if n, ok := allowed[budget.Namespace+"/"+budget.Name]; ok && n != budget.Status.DisruptionsAllowed {
			changed := budget.DeepCopy()
			changed.Status.DisruptionsAllowed = n
			s.InformerOf(changed).Change(changed)
		}
	}
}

// StatusAgain: the claims by templates count as made anew, too, with the devices of those before.
func (s simulated) StatusAgain(victim *v1.Pod) v1.PodStatus {
	return v1.PodStatus{ResourceClaimStatuses: victim.Status.ResourceClaimStatuses}
}

func (s simulated) EndNominations(node string, pod *v1.Pod) {
	for _, other := range s.upstream.SchedulingQueue.NominatedPodsForNode(node) {
		if corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(pod) {
			s.upstream.SchedulingQueue.DeleteNominatedPodIfExists(other.GetPod())
			if known := s.m.Waiting[cluster.NameOf(other.GetPod())]; known != nil {
				known.Status.NominatedNodeName = ""
			}
		}
	}
}
