package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	pvutil "k8s.io/kubernetes/pkg/controller/volume/persistentvolume/util"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"winnow.test/oracle/common/cluster"
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

// volumes is v1.16's binder.
var volumes = cluster.Volumes{
	ClaimOf: func(_ *v1.Pod, volume *v1.Volume) string {
		if volume.PersistentVolumeClaim == nil {
			return ""
		}
		return volume.PersistentVolumeClaim.ClaimName
	},
	ClassOf:      func(volume *v1.PersistentVolume) string { return volume.Spec.StorageClassName },
	ClaimClassOf: v1helper.GetPersistentVolumeClaimClass,
	IsBoundTo:    pvutil.IsVolumeBoundToClaim,
	WishOf: func(claim *v1.PersistentVolumeClaim) string {
		return fmt.Sprint(claim.Spec.Resources.Requests, claim.Spec.AccessModes, cluster.ModeOf(claim.Spec.VolumeMode), claim.Spec.Selector)
	},
	LooksOf: func(volume *v1.PersistentVolume) string {
		return fmt.Sprint(volume.Spec.AccessModes, cluster.ModeOf(volume.Spec.VolumeMode), volume.Labels)
	},
	Bind: pvutil.GetBindVolumeToClaim,
}

func isAmbiguousBinding(s *scheduler, pod *v1.Pod) bool {
	claims := volumes.Waiting(pod, s.pvcs.PersistentVolumeClaims(pod.Namespace).Get, func(claim *v1.PersistentVolumeClaim) (bool, error) {
		return pvutil.IsDelayBindingMode(claim, s.known.Storage().V1().StorageClasses().Lister())
	})
	if len(claims) == 0 {
		return false
	}
	all, err := s.known.Core().V1().PersistentVolumes().Lister().List(labels.Everything())
	return err == nil && volumes.IsAmbiguous(claims, all)
}
