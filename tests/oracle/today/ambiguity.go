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
	"winnow.test/oracle/common/cluster"
)

// Some answers of upstream hang on the order of a Go map: they take "the first" where several could be it. Lists come in
// order here, so the answer is the one for the first by namespace and name.

func (e *explanation) isAmbiguousVerdict(rule filterRule, info fwk.NodeInfo, status *fwk.Status) bool {
	return e.preFiltered[rule.name].ambiguous || e.undecided && rule.name == "VolumeBinding" ||
		e.isAmbiguousLimit(rule, info, status) || e.isAmbiguousAllocation(rule, info, status) || e.isAmbiguousResource(rule)
}

// volumes is today's binder.
var volumes = cluster.Volumes{
	ClaimOf: func(pod *v1.Pod, of *v1.Volume) string {
		switch {
		case of.PersistentVolumeClaim != nil:
			return of.PersistentVolumeClaim.ClaimName
		case of.Ephemeral != nil:
			return ephemeral.VolumeClaimName(pod, of)
		}
		return ""
	},
	ClassOf:      volume.GetPersistentVolumeClass,
	ClaimClassOf: volume.GetPersistentVolumeClaimClass,
	IsBoundTo:    volume.IsVolumeBoundToClaim,
	WishOf: func(claim *v1.PersistentVolumeClaim) string {
		size := claim.Spec.Resources.Requests[v1.ResourceStorage]
		return fmt.Sprint(size.String(), claim.Spec.AccessModes, cluster.ModeOf(claim.Spec.VolumeMode), claim.Spec.Selector,
			attributesOf(claim.Spec.VolumeAttributesClassName))
	},
	LooksOf: func(of *v1.PersistentVolume) string {
		return fmt.Sprint(of.Spec.AccessModes, cluster.ModeOf(of.Spec.VolumeMode), of.Labels,
			attributesOf(of.Spec.VolumeAttributesClassName), of.DeletionTimestamp)
	},
	Bind: volume.GetBindVolumeToClaim,
}

func (e *explanation) isAmbiguousBinding() bool {
	if len(e.claims) == 0 {
		return false
	}
	all, err := e.s.known.Core().V1().PersistentVolumes().Lister().List(labels.Everything())
	return err == nil && volumes.IsAmbiguous(e.claims, all)
}

// waitingClaims are the pod's unbound ones that the scheduler finds volumes for, or a place to make them.
func (e *explanation) waitingClaims() []*v1.PersistentVolumeClaim {
	claims := e.s.known.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(e.pod.Namespace)
	return volumes.Waiting(e.pod, claims.Get, func(claim *v1.PersistentVolumeClaim) (bool, error) {
		return volume.IsDelayBindingMode(claim, e.s.known.Storage().V1().StorageClasses().Lister())
	})
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
