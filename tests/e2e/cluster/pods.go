package cluster

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Namespace is where pods are made.
const Namespace = "default"

// Pod asks for nothing unless it is told otherwise, and is gone at once when it is deleted: there is no kubelet.
func Pod(name string, edits ...func(*v1.Pod)) *v1.Pod {
	atOnce := int64(0)
	pod := &v1.Pod{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: Namespace, Labels: map[string]string{}},
		Spec: v1.PodSpec{
			Containers:                    []v1.Container{{Name: "c", Image: "registry.example/app:1"}},
			TerminationGracePeriodSeconds: &atOnce,
		},
	}
	for _, edit := range edits {
		edit(pod)
	}
	return pod
}

// Pods are PREFIX-0000, PREFIX-0001, ….
func Pods(prefix string, count int, edits ...func(*v1.Pod)) []*v1.Pod {
	var pods []*v1.Pod
	for i := range count {
		pods = append(pods, Pod(fmt.Sprintf("%s-%04d", prefix, i), edits...))
	}
	return pods
}

// Labelled adds a label.
func Labelled(key, value string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Labels[key] = value }
}

// Requests is what the pod's container asks for.
func Requests(cpu, memory string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{
			v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse(memory),
		}
	}
}

// HostPort asks for a port of the node.
func HostPort(port int32) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		container := &pod.Spec.Containers[0]
		container.Ports = append(container.Ports, v1.ContainerPort{ContainerPort: port, HostPort: port})
	}
}

// Priority names a PriorityClass.
func Priority(class string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.PriorityClassName = class }
}

// By names the scheduler.
func By(scheduler string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.SchedulerName = scheduler }
}

// On gives the pod a node without any scheduler.
func On(node string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.NodeName = node }
}

// NodeSelector asks for a node's label.
func NodeSelector(key, value string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		if pod.Spec.NodeSelector == nil {
			pod.Spec.NodeSelector = map[string]string{}
		}
		pod.Spec.NodeSelector[key] = value
	}
}

// Tolerates any taint of the key.
func Tolerates(key string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: key, Operator: v1.TolerationOpExists})
	}
}

// Apart: no two pods of the label in one domain of the topology.
func Apart(key, value, topology string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		affinity(pod).PodAntiAffinity = &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: terms(key, value, topology)}
	}
}

// Near: only where a pod of the label is in the domain.
func Near(key, value, topology string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		affinity(pod).PodAffinity = &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: terms(key, value, topology)}
	}
}

// NearIn is Near for pods of the namespaces that have a label.
func NearIn(team, value, key, of, topology string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		Near(key, of, topology)(pod)
		pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].NamespaceSelector = selector(team, value)
	}
}

// RatherApart prefers domains without a pod of the label.
func RatherApart(key, value, topology string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		affinity(pod).PodAntiAffinity = &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
				{Weight: 100, PodAffinityTerm: terms(key, value, topology)[0]}}}
	}
}

// Spread keeps the pods of the label even over the domains of the topology.
func Spread(key, value, topology string, skew int32, when v1.UnsatisfiableConstraintAction) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			MaxSkew: skew, TopologyKey: topology, WhenUnsatisfiable: when, LabelSelector: selector(key, value)})
	}
}

// Claims mounts a claim.
func Claims(claim string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: claim, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
	}
}

func affinity(pod *v1.Pod) *v1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	return pod.Spec.Affinity
}

func terms(key, value, topology string) []v1.PodAffinityTerm {
	return []v1.PodAffinityTerm{{LabelSelector: selector(key, value), TopologyKey: topology}}
}

func selector(key, value string) *meta.LabelSelector {
	return &meta.LabelSelector{MatchLabels: map[string]string{key: value}}
}
