package cluster

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// NameOf is how an answer names a pod.
func NameOf(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

// SchedulerName: the API server fills in an empty one.
func SchedulerName(pod *v1.Pod) string {
	if pod.Spec.SchedulerName == "" {
		return v1.DefaultSchedulerName
	}
	return pod.Spec.SchedulerName
}

// IsAnyOrder: does a sort by importance keep those of a node's pods that the pod may evict in no order? Go's is stable up to
// twelve elements. startsNow: a pod that has not started has started "now", later than itself.
func IsAnyOrder(pods []*v1.Pod, pod *v1.Pod, priority func(*v1.Pod) int32, startsNow bool) bool {
	const stable = 12
	lower, seen, equal := 0, map[string]bool{}, false
	for _, other := range pods {
		if priority(other) >= priority(pod) {
			continue
		}
		lower++
		key := fmt.Sprint(priority(other), other.Status.StartTime)
		if startsNow && seen[key] && other.Status.StartTime == nil {
			return true
		}
		equal = equal || seen[key]
		seen[key] = true
	}
	return equal && lower > stable
}

// NamesOf names the pods.
func NamesOf(pods []*v1.Pod) (names []string) {
	for _, pod := range pods {
		names = append(names, NameOf(pod))
	}
	return names
}
