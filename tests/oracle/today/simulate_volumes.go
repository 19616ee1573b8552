package main

import (
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// BindsVolumes: upstream reserves what the plugin's Filter has found.
func (s simulated) BindsVolumes(pod *v1.Pod) bool {
	p := s.profileOf(pod)
	return p != nil &&
		slices.ContainsFunc(p.filters, func(plugin fwk.FilterPlugin) bool { return plugin.Name() == volumebinding.Name }) &&
		slices.ContainsFunc(p.reserves, func(plugin fwk.ReservePlugin) bool { return plugin.Name() == volumebinding.Name })
}

func (s simulated) Draw(pod *v1.Pod, node string) (found answer.Bindings, _ interface{}) {
	p := s.profileOf(pod)
	state := framework.NewCycleState()
	if _, status, _ := p.framework.RunPreFilterPlugins(s.ctx, state, pod); !status.IsSuccess() {
		return found, nil
	}
	if status := p.framework.RunFilterPlugins(s.ctx, state, pod, s.info(node)); !status.IsSuccess() {
		return found, nil
	}
	data, err := state.Read(volumebinding.Name)
	if err != nil { // Skipped.
		return found, nil
	}
	volumes := (*answer.Private(data, "podVolumesByNode").(*map[string]*volumebinding.PodVolumes))[node]
	if volumes == nil {
		return found, nil
	}
	for _, binding := range volumes.StaticBindings {
		at := reflect.ValueOf(binding).Elem()
		found.Claims = append(found.Claims, at.FieldByName("pvc").Elem().FieldByName("Name").String())
		found.Volumes = append(found.Volumes, at.FieldByName("pv").Elem().FieldByName("Name").String())
	}
	for _, provision := range volumes.DynamicProvisions {
		found.Promised = append(found.Promised, provision.PVC.Name)
	}
	return found, state
}

func (s simulated) reserveVolumes(state fwk.CycleState, pod *v1.Pod, node string) error {
	for _, plugin := range s.profileOf(pod).reserves {
		if plugin.Name() == volumebinding.Name {
			return plugin.Reserve(s.ctx, state, pod, node).AsError()
		}
	}
	return nil
}

func (s simulated) InformerOf(object interface{}) *cluster.Informer {
	return &informerOf(s.known, object.(runtime.Object)).Informer
}
