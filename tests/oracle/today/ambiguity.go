package main

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Some answers of upstream hang on the order of a Go map: they take "the first" where several could be it. Lists come in
// order here, so the answer is the one for the first by namespace and name.

func (e *explanation) isAmbiguousVerdict(rule filterRule, info fwk.NodeInfo, status *fwk.Status) bool {
	return e.preFiltered[rule.name].ambiguous || e.undecided && rule.name == "VolumeBinding" ||
		e.isAmbiguousLimit(rule, info, status)
}

// isAmbiguousBinding: of several volumes of one size a claim takes the first, though another claim of the pod may need just
// that one; of several volumes that name the claim, the first.
func (e *explanation) isAmbiguousBinding() bool {
	if len(e.claims) == 0 {
		return false
	}
	volumes, err := e.s.known.Core().V1().PersistentVolumes().Lister().List(labels.Everything())
	if err != nil {
		return false
	}
	wishes := map[string]map[string]bool{} // By class.
	for _, claim := range e.claims {
		class := volume.GetPersistentVolumeClaimClass(claim)
		if boundTo(claim, class, volumes) > 1 {
			return true
		}
		if wishes[class] == nil {
			wishes[class] = map[string]bool{}
		}
		wishes[class][wishOf(claim)] = true
	}
	for class, wishes := range wishes {
		if len(wishes) > 1 && hasUnlikeEquals(class, volumes) {
			return true
		}
	}
	return false
}

// wishOf is what a claim asks of a volume of its class.
func wishOf(claim *v1.PersistentVolumeClaim) string {
	size := claim.Spec.Resources.Requests[v1.ResourceStorage]
	return fmt.Sprint(size.String(), claim.Spec.AccessModes, modeOf(claim.Spec.VolumeMode), claim.Spec.Selector,
		attributesOf(claim.Spec.VolumeAttributesClassName))
}

// waitingClaims are the pod's unbound ones that the scheduler finds volumes for, or a place to make them.
func (e *explanation) waitingClaims() (claims []*v1.PersistentVolumeClaim) {
	for i := range e.pod.Spec.Volumes {
		var name string
		switch of := &e.pod.Spec.Volumes[i]; {
		case of.PersistentVolumeClaim != nil:
			name = of.PersistentVolumeClaim.ClaimName
		case of.Ephemeral != nil:
			name = ephemeral.VolumeClaimName(e.pod, of)
		default:
			continue
		}
		claim, err := e.s.known.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(e.pod.Namespace).Get(name)
		if err != nil || claim.Spec.VolumeName != "" {
			continue
		}
		waits, err := volume.IsDelayBindingMode(claim, e.s.known.Storage().V1().StorageClasses().Lister())
		if err == nil && waits {
			claims = append(claims, claim)
		}
	}
	return claims
}

func boundTo(claim *v1.PersistentVolumeClaim, class string, volumes []*v1.PersistentVolume) (n int) {
	for _, of := range volumes {
		if volume.GetPersistentVolumeClass(of) == class && volume.IsVolumeBoundToClaim(of, claim) {
			n++
		}
	}
	return n
}

// hasUnlikeEquals: two volumes of one size that are not alike to every claim. Where they are, of two that the node can reach
// either will do.
func hasUnlikeEquals(class string, volumes []*v1.PersistentVolume) bool {
	bySize := map[int64]string{}
	for _, of := range volumes {
		if volume.GetPersistentVolumeClass(of) != class || of.Spec.ClaimRef != nil || of.Status.Phase != v1.VolumeAvailable {
			continue
		}
		quantity := of.Spec.Capacity[v1.ResourceStorage]
		size, looks := quantity.Value(), fmt.Sprint(of.Spec.AccessModes, modeOf(of.Spec.VolumeMode), of.Labels,
			attributesOf(of.Spec.VolumeAttributesClassName), of.DeletionTimestamp)
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

func attributesOf(class *string) string {
	if class == nil {
		return ""
	}
	return *class
}

// isAmbiguousCapacity: of several pools that have room for a claim, the first says how full the node's storage gets.
func (e *explanation) isAmbiguousCapacity(node *v1.Node) bool {
	if len(e.claims) == 0 {
		return false
	}
	pools, err := e.s.known.Storage().V1().CSIStorageCapacities().Lister().List(labels.Everything())
	if err != nil {
		return false
	}
	for _, claim := range e.claims {
		class := volume.GetPersistentVolumeClaimClass(claim)
		quantity := claim.Spec.Resources.Requests[v1.ResourceStorage]
		rooms := map[int64]bool{}
		for _, pool := range pools {
			if pool.StorageClassName == class && pool.Capacity != nil && hasRoom(pool, quantity.Value()) && reaches(node, pool) {
				rooms[pool.Capacity.Value()] = true
			}
		}
		if len(rooms) > 1 {
			return true
		}
	}
	return false
}

func hasRoom(pool *storagev1.CSIStorageCapacity, size int64) bool {
	limit := pool.MaximumVolumeSize
	if limit == nil {
		limit = pool.Capacity
	}
	return limit.Value() >= size
}

func reaches(node *v1.Node, pool *storagev1.CSIStorageCapacity) bool {
	selector, err := metav1.LabelSelectorAsSelector(pool.NodeTopology)
	return err == nil && pool.NodeTopology != nil && selector.Matches(labels.Set(node.Labels))
}

// isAmbiguousRefusal: of several labels of a selector that cannot be read, one is named.
func (e *explanation) isAmbiguousRefusal(plugin fwk.PreFilterPlugin, status *fwk.Status) bool {
	if plugin.Name() != "InterPodAffinity" && plugin.Name() != "PodTopologySpread" || status.IsSuccess() || status.IsSkip() {
		return false
	}
	return saysMore(func() *fwk.Status {
		_, status := plugin.PreFilter(e.s.ctx, framework.NewCycleState(), e.pod, e.s.all)
		return status
	})
}

// isAmbiguousLimit: of several drivers that the node lacks, NodeVolumeLimits names any; of several of the node's pods that fail
// it, the one that came first.
func (e *explanation) isAmbiguousLimit(rule filterRule, info fwk.NodeInfo, status *fwk.Status) bool {
	switch {
	case rule.name != "NodeVolumeLimits":
		return false
	case status.IsError():
		return e.failsByPod(rule, info) > 1
	case strings.HasSuffix(status.Message(), " CSI driver is not installed on the node"):
		return len(e.pod.Spec.Volumes) > 1 && saysMore(func() *fwk.Status { return rule.filter.Filter(e.s.ctx, e.state, e.pod, info) })
	}
	return false
}

// failsByPod counts the errors that the node gives with one of its pods at a time.
func (e *explanation) failsByPod(rule filterRule, info fwk.NodeInfo) int {
	errors := map[string]bool{}
	for _, other := range info.GetPods() {
		alone := framework.NewNodeInfo(other.GetPod())
		alone.SetNode(info.Node())
		if status := rule.filter.Filter(e.s.ctx, e.state, e.pod, alone); status.IsError() {
			errors[status.AsError().Error()] = true
		}
	}
	return len(errors)
}

// saysMore asks again so often that every order of a small map will have come: does it not always say the same?
func saysMore(ask func() *fwk.Status) bool {
	first := ask().Message()
	for i := 0; i < 200; i++ {
		if ask().Message() != first {
			return true
		}
	}
	return false
}
