package main

import (
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

func (s simulated) BindsVolumes(*v1.Pod) bool {
	for _, p := range s.predicates {
		if p.name == predicates.CheckVolumeBindingPred {
			return true
		}
	}
	return false
}

// Draw leaves what was found in the binder, where AssumePodVolumes looks: the state only says that the pod fits.
func (s simulated) Draw(pod *v1.Pod, node string) (found answer.Bindings, state interface{}) {
	binder := s.config.VolumeBinder.Binder
	if _, _, err := binder.FindPodVolumes(pod, s.infos[node].Node()); err != nil {
		return found, nil
	}
	list := reflect.ValueOf(binder.GetBindingsCache().GetBindings(pod, node))
	for i := 0; i < list.Len(); i++ {
		binding := list.Index(i).Elem()
		found.Claims = append(found.Claims, binding.FieldByName("pvc").Elem().FieldByName("Name").String())
		found.Volumes = append(found.Volumes, binding.FieldByName("pv").Elem().FieldByName("Name").String())
	}
	for _, claim := range binder.GetBindingsCache().GetProvisionedPVCs(pod, node) {
		found.Promised = append(found.Promised, claim.Name)
	}
	return found, true
}

func (s simulated) InformerOf(object interface{}) *cluster.Informer {
	return &s.known.InformerFor(object.(runtime.Object), nil).(*informer).Informer
}
