package main

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	devices "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// drawDevices returns the state in which DynamicResources has found devices on the node; nil where the pod does not fit there.
func (s simulated) drawDevices(pod *v1.Pod, node string) fwk.CycleState {
	p := s.profileOf(pod)
	if p == nil {
		return nil
	}
	state := framework.NewCycleState()
	if _, status, _ := p.framework.RunPreFilterPlugins(s.ctx, state, pod); !status.IsSuccess() {
		return nil
	}
	if status := p.framework.RunFilterPlugins(s.ctx, state, pod, s.info(node)); !status.IsSuccess() {
		return nil
	}
	return state
}

// takeDevices is the watch's news of what PreBind writes, and of drivers that meet what binding waits for.
func (s simulated) takeDevices(pod *v1.Pod, found *nodeDevices) error {
	if found == nil {
		return nil
	}
	for i, result := range found.results {
		claim := found.waiting[i].DeepCopy()
		if found.extended != nil && claim.Name == found.extended.Name {
			claim = found.extended.DeepCopy()
			claim.Namespace, claim.Name = pod.Namespace, pod.Name+"-extended-resources"
			claim.UID = pod.UID + "-extended-resources"
		}
		result := result.DeepCopy()
		for j := range result.Devices.Results {
			result.Devices.Results[j].BindingConditions = nil
		}
		claim.Status.Allocation = result
		user := devices.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, user)
		if err := s.publishClaim(claim); err != nil {
			return err
		}
	}
	return nil
}

// publishClaim makes the claim, or changes it.
func (s simulated) publishClaim(claim *devices.ResourceClaim) error {
	known := informerOf(s.known, claim)
	before, exists, err := known.GetIndexer().Get(claim)
	if err != nil {
		return err
	}
	if !exists {
		claim.ResourceVersion = "1"
		return known.appear(claim)
	}
	version, err := strconv.Atoi(before.(*devices.ResourceClaim).ResourceVersion)
	if err != nil {
		return fmt.Errorf("%s: %v", claim.Name, err)
	}
	claim.ResourceVersion = strconv.Itoa(version + 1)
	known.Change(claim)
	return nil
}
