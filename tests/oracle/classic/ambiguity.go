package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	pvutil "k8s.io/kubernetes/pkg/controller/volume/persistentvolume/util"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
)

// Some answers of upstream hang on the order of a Go map: they take "the first" where several could be it. Services and pods
// come in order here, so the answer is the one for the first by namespace and name; volumes do not.

func isAmbiguousPredicate(s *scheduler, p predicate, pod *v1.Pod, meta predicates.PredicateMetadata) bool {
	if p.argument != nil {
		return p.argument.ServiceAffinity != nil && isAmbiguousAffinity(s, p.argument.ServiceAffinity.Labels, pod)
	}
	switch p.name {
	case predicates.CheckVolumeBindingPred:
		return isAmbiguousBinding(s, pod)
	case predicates.MatchInterPodAffinityPred:
		return meta == nil && isAmbiguousSearch(s, pod)
	}
	return false
}

// isAmbiguousAffinity: the first pod that matches says which labels the node must have.
func isAmbiguousAffinity(s *scheduler, wanted []string, pod *v1.Pod) bool {
	if services, err := s.services().GetPodServices(pod); err != nil || len(services) == 0 {
		return false
	}
	matching, err := s.pods.List(predicates.CreateSelectorFromLabels(pod.Labels))
	if err != nil {
		return false
	}
	demands := map[string]bool{}
	for _, other := range predicates.FilterPodsByNamespace(matching, pod.Namespace) {
		demands[demandOf(s, wanted, pod, other)] = true
	}
	return len(demands) > 1
}

func demandOf(s *scheduler, wanted []string, pod, other *v1.Pod) string {
	info, ok := s.infos[other.Spec.NodeName]
	if !ok {
		return "error"
	}
	demand := map[string]string{}
	for _, label := range wanted {
		value, ok := info.Node().Labels[label]
		if _, given := pod.Spec.NodeSelector[label]; ok && !given {
			demand[label] = value
		}
	}
	return "labels " + labels.Set(demand).String()
}

// isAmbiguousSearch: without metadata (some selector cannot be read) MatchInterPodAffinity walks the pods, and ends with an
// error at one that matches on an unknown node or by a term without topologyKey, if not with a failure at another before.
func isAmbiguousSearch(s *scheduler, pod *v1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return false
	}
	terms := append(predicates.GetPodAffinityTerms(affinity.PodAffinity), predicates.GetPodAntiAffinityTerms(affinity.PodAntiAffinity)...)
	for _, term := range terms {
		if term.TopologyKey == "" {
			return true
		}
	}
	strays, err := s.pods.FilteredList(func(other *v1.Pod) bool { return s.infos[other.Spec.NodeName] == nil }, labels.Everything())
	return len(terms) > 0 && err == nil && len(strays) > 0
}

// isAmbiguousPriority: serviceAntiAffinity counts the pods of the first service.
func isAmbiguousPriority(s *scheduler, name string, pod *v1.Pod) bool {
	argument := s.arguments[name]
	if argument == nil || argument.ServiceAntiAffinity == nil {
		return false
	}
	services, err := s.services().GetPodServices(pod)
	if err != nil {
		return false
	}
	selectors := map[string]bool{}
	for _, service := range services {
		selectors[labels.Set(service.Spec.Selector).String()] = true
	}
	return len(selectors) > 1
}

// isAmbiguousBinding: of several volumes of one size a claim takes the first, though another claim of the pod may need just
// that one; of several volumes that name the claim, the first.
func isAmbiguousBinding(s *scheduler, pod *v1.Pod) bool {
	claims := waitingClaims(s, pod)
	if len(claims) == 0 {
		return false
	}
	volumes, err := s.known.Core().V1().PersistentVolumes().Lister().List(labels.Everything())
	if err != nil {
		return false
	}
	wishes := map[string]map[string]bool{} // By class.
	for _, claim := range claims {
		class := v1helper.GetPersistentVolumeClaimClass(claim)
		if boundTo(claim, class, volumes) > 1 {
			return true
		}
		if wishes[class] == nil {
			wishes[class] = map[string]bool{}
		}
		wishes[class][fmt.Sprint(claim.Spec.Resources.Requests, claim.Spec.AccessModes, modeOf(claim.Spec.VolumeMode), claim.Spec.Selector)] = true
	}
	for class, wishes := range wishes {
		if len(wishes) > 1 && hasUnlikeEquals(class, volumes) {
			return true
		}
	}
	return false
}

// waitingClaims are the pod's unbound ones that the scheduler finds volumes for.
func waitingClaims(s *scheduler, pod *v1.Pod) (claims []*v1.PersistentVolumeClaim) {
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		claim, err := s.pvcs.PersistentVolumeClaims(pod.Namespace).Get(volume.PersistentVolumeClaim.ClaimName)
		if err != nil || claim.Spec.VolumeName != "" {
			continue
		}
		waits, err := pvutil.IsDelayBindingMode(claim, s.known.Storage().V1().StorageClasses().Lister())
		if err == nil && waits {
			claims = append(claims, claim)
		}
	}
	return claims
}

func boundTo(claim *v1.PersistentVolumeClaim, class string, volumes []*v1.PersistentVolume) (n int) {
	for _, volume := range volumes {
		if volume.Spec.StorageClassName == class && pvutil.IsVolumeBoundToClaim(volume, claim) {
			n++
		}
	}
	return n
}

// hasUnlikeEquals: two volumes of one size that are not alike to every claim. Where they are, of two that the node can reach
// either will do.
func hasUnlikeEquals(class string, volumes []*v1.PersistentVolume) bool {
	bySize := map[int64]string{}
	for _, volume := range volumes {
		if volume.Spec.StorageClassName != class || volume.Spec.ClaimRef != nil || volume.Status.Phase != v1.VolumeAvailable {
			continue
		}
		quantity := volume.Spec.Capacity[v1.ResourceStorage]
		size, looks := quantity.Value(), fmt.Sprint(volume.Spec.AccessModes, modeOf(volume.Spec.VolumeMode), volume.Labels)
		if other, ok := bySize[size]; ok && other != looks {
			return true
		}
		bySize[size] = looks
	}
	return false
}

func modeOf(mode *v1.PersistentVolumeMode) v1.PersistentVolumeMode {
	if mode == nil {
		return v1.PersistentVolumeFilesystem
	}
	return *mode
}
