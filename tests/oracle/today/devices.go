package main

import (
	"encoding/json"
	"reflect"

	v1 "k8s.io/api/core/v1"
	devices "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// sorted lists by name where client-go's store lists as a Go map happens to. Pools whose slices contradict each other, and
// slices that cannot be read, make upstream's answer hang on "the first".
type sorted struct{ cache.Store }

func (s sorted) List() []interface{} { return cluster.Sorted(s.Store.List()) }

// orderSlices makes upstream's tracker of device slices list them by name.
func (s *scheduler) orderSlices() {
	for _, p := range s.profiles {
		manager, ok := p.framework.SharedDRAManager().(*dynamicresources.DefaultDRAManager)
		if !ok {
			continue
		}
		slices := answer.Private(within(within(manager, "resourceSliceLister"), "tracker"), "patchedResourceSlices").(*cache.Store)
		if _, ok := (*slices).(sorted); !ok {
			*slices = sorted{*slices}
		}
	}
}

// within is the pointer in a private field.
func within(of interface{}, field string) interface{} {
	return reflect.ValueOf(answer.Private(of, field)).Elem().Interface()
}

// isAmbiguousAllocation: of several capacities that cannot be reckoned with, one is named.
func (e *explanation) isAmbiguousAllocation(rule filterRule, info fwk.NodeInfo, status *fwk.Status) bool {
	return rule.name == dynamicresources.Name && rule.filter != nil && status.IsError() &&
		saysMore(func() *fwk.Status { return rule.filter.Filter(e.s.ctx, e.state, e.pod, info) })
}

// devices is what DynamicResources' last Filter has found on the node, in the order of the pod's claims.
func (e *explanation) devices(node *answer.Node) (taken []answer.DeviceClaim) {
	if !fitsDevices(node) {
		return nil
	}
	data, err := e.state.Read(dynamicresources.Name)
	if err != nil {
		return nil
	}
	found := reflect.ValueOf(answer.Private(data, "nodeAllocations")).Elem().MapIndex(reflect.ValueOf(node.Name))
	if !found.IsValid() {
		return nil
	}
	at := reflect.New(found.Type())
	at.Elem().Set(found)
	allocation := at.Interface()
	results := *answer.Private(allocation, "allocationResults").(*[]devices.AllocationResult)
	mappings := *answer.Private(allocation, "containerResourceRequestMappings").(*[]v1.ContainerExtendedResourceRequest)
	extended := *answer.Private(allocation, "extendedResourceClaim").(**devices.ResourceClaim)
	for i, claim := range claimsToAllocate(data) {
		if i == len(results) { // The node offers the extended resources itself.
			break
		}
		one := claimOf(claim, &results[i])
		if extended != nil && claim.Name == extended.Name {
			one.Mappings = mappingsOf(mappings)
		}
		taken = append(taken, one)
	}
	return taken
}

// fitsDevices: DynamicResources has been asked, and finds the node good.
func fitsDevices(node *answer.Node) bool {
	for _, entry := range node.Filters {
		if entry.Rule == dynamicresources.Name {
			return entry.Fits && !entry.Skipped
		}
	}
	return false
}

func claimsToAllocate(data fwk.StateData) (waiting []*devices.ResourceClaim) {
	for _, claim := range *answer.Private(answer.Private(data, "claims"), "claims").(*[]*devices.ResourceClaim) {
		if claim.Status.Allocation == nil {
			waiting = append(waiting, claim)
		}
	}
	return waiting
}

func claimOf(claim *devices.ResourceClaim, result *devices.AllocationResult) answer.DeviceClaim {
	one := answer.DeviceClaim{Claim: claim.Name, Devices: []answer.Device{}}
	for _, device := range result.Devices.Results {
		one.Devices = append(one.Devices, deviceOf(device))
	}
	if result.NodeSelector != nil {
		text, err := json.Marshal(result.NodeSelector)
		if err != nil {
			panic(err)
		}
		one.NodeSelector = text
	}
	return one
}

func deviceOf(result devices.DeviceRequestAllocationResult) answer.Device {
	device := answer.Device{Request: result.Request, Driver: result.Driver, Pool: result.Pool, Device: result.Device,
		AdminAccess: result.AdminAccess != nil && *result.AdminAccess, Shared: result.ShareID != nil,
		BindingConditions: result.BindingConditions, BindingFailureConditions: result.BindingFailureConditions}
	for name, amount := range result.ConsumedCapacity {
		if device.ConsumedCapacity == nil {
			device.ConsumedCapacity = map[string]string{}
		}
		device.ConsumedCapacity[string(name)] = amount.String()
	}
	return device
}

func mappingsOf(mappings []v1.ContainerExtendedResourceRequest) (all []answer.DeviceMapping) {
	for _, one := range mappings {
		all = append(all, answer.DeviceMapping{Container: one.ContainerName, Resource: one.ResourceName, Request: one.RequestName})
	}
	return all
}
