package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

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

// isAmbiguousResource: of two classes that provide one extended resource, the older is known by the resource of its own name only
// if it came first (extendedresourcecache.go updateResourceName2class v0.37.2).
func (e *explanation) isAmbiguousResource(rule filterRule) bool {
	return e.forgetsClass && (rule.name == dynamicresources.Name || rule.name == "NodeResourcesFit")
}

// requestsForgottenClass: the pod requests a resource that is named after a class, and upstream does not know it.
func (e *explanation) requestsForgottenClass() bool {
	known := e.p.framework.SharedDRAManager().DeviceClassResolver()
	for _, container := range slices.Concat(e.pod.Spec.InitContainers, e.pod.Spec.Containers) {
		for name := range container.Resources.Requests {
			class, found := strings.CutPrefix(string(name), devices.ResourceDeviceClassPrefix)
			if !found || known.GetDeviceClass(name) != nil {
				continue
			}
			if _, err := e.s.known.Resource().V1().DeviceClasses().Lister().Get(class); err == nil {
				return true
			}
		}
	}
	return false
}

// nodeDevices is what DynamicResources' last Filter has found on a node.
type nodeDevices struct {
	waiting  []*devices.ResourceClaim   // The pod's claims without devices, in its order.
	results  []devices.AllocationResult // Of these. The last has none where the node offers the extended resources itself.
	extended *devices.ResourceClaim     // The last of these, if it is for extended resources.
	mappings []v1.ContainerExtendedResourceRequest
}

// devicesOn returns nil where there was nothing to find.
func devicesOn(state fwk.CycleState, node string) *nodeDevices {
	data, err := state.Read(dynamicresources.Name)
	if err != nil {
		return nil
	}
	found := reflect.ValueOf(answer.Private(data, "nodeAllocations")).Elem().MapIndex(reflect.ValueOf(node))
	if !found.IsValid() {
		return nil
	}
	at := reflect.New(found.Type())
	at.Elem().Set(found)
	allocation := at.Interface()
	return &nodeDevices{
		waiting:  claimsToAllocate(data),
		results:  *answer.Private(allocation, "allocationResults").(*[]devices.AllocationResult),
		extended: *answer.Private(allocation, "extendedResourceClaim").(**devices.ResourceClaim),
		mappings: *answer.Private(allocation, "containerResourceRequestMappings").(*[]v1.ContainerExtendedResourceRequest),
	}
}

// devices is what DynamicResources has found on the node, in the order of the pod's claims. Where PreFilter ends it nobody asks.
func (e *explanation) devices(node *answer.Node) (taken []answer.DeviceClaim) {
	if !fitsDevices(node) || e.before.endsByPlugin() {
		return nil
	}
	found := devicesOn(e.state, node.Name)
	if found == nil {
		return nil
	}
	for i, claim := range found.waiting[:min(len(found.waiting), len(found.results))] {
		one := claimOf(claim, &found.results[i])
		if found.extended != nil && claim.Name == found.extended.Name {
			one.Mappings = mappingsOf(found.mappings)
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
