// Package devices plays what gives devices to pods in a cluster: a driver, which publishes them, and the controller of
// claims. Its forms are the pods that ask for devices, and its judge says which promises the claims break.
package devices

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	api "k8s.io/api/resource/v1"
	"winnow.test/e2e/cluster"
)

// Nodes that devices are published for.
const Nodes = 60

// Classes are also names of drivers, behind which comes ".e2e.example".
const (
	gpus   = "gpu"    // Ten on each node, five of each numa node. Also the extended resource.
	tpus   = "tpu"    // Four on each second node.
	nics   = "nic"    // Two on 40 nodes.
	larges = "large"  // One on 40 nodes.
	shares = "share"  // One on each fourth node, for several claims.
	fabric = "fabric" // Of no node: it is attached to the node of its claim.
)

// Extended is the resource that the class of the GPUs provides.
const Extended = "e2e.example/gpu"

// Form is a way to ask for devices.
type Form struct {
	Name string
	Pods int
	// Spare is how many pods too many there are for the devices: they wait until others are gone.
	Spare   int
	request []api.DeviceRequest
	// constraint is an attribute that all devices of the claim must have in common.
	constraint string
	edit       func(*v1.Pod)
	sharers    int // Of one claim that no template makes.
}

// Forms has 500 pods. Where devices cannot be left over in pieces that nobody can use, there is none too many.
func Forms() []Form {
	return []Form{
		{Name: "one", Pods: 120, request: exactly(tpus, 1)},
		{Name: "two", Pods: 60, request: exactly(gpus, 2)},
		{Name: "all", Pods: 46, Spare: 6, request: all(nics)},
		{Name: "first", Pods: 60, request: firstOf(larges, gpus)},
		{Name: "match", Pods: 50, request: pair(gpus), constraint: gpus + suffix + "/numa"},
		{Name: "extended", Pods: 64, edit: cluster.Wants(Extended, "1")},
		{Name: "share", Pods: 60, request: capacity(shares, "20Gi")},
		{Name: "together", Pods: 20, request: exactly(gpus, 1), sharers: 5},
		{Name: "late", Pods: 20, request: exactly(fabric, 1)},
	}
}

// Pod of the form, by its number.
func (f Form) Pod(prefix string, number int) *v1.Pod {
	pod := cluster.Pod(fmt.Sprintf("%s-%s-%04d", prefix, f.Name, number), cluster.Requests("10m", "10Mi"),
		cluster.Labelled("form", f.Name))
	switch {
	case f.sharers > 0:
		cluster.ClaimsDevice(f.sharedClaim(number))(pod)
	case f.request != nil:
		cluster.ClaimsDeviceBy(f.Name)(pod)
	}
	if f.edit != nil {
		f.edit(pod)
	}
	return pod
}

func (f Form) sharedClaim(number int) string { return fmt.Sprintf("%s-%d", f.Name, number/f.sharers) }

// Pods of all forms in turn.
func Pods(forms []Form, prefix string) (pods []*v1.Pod) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, form := range forms {
			if i < form.Pods {
				pods, more = append(pods, form.Pod(prefix, i)), true
			}
		}
	}
	return pods
}

func (f Form) spec() api.ResourceClaimSpec {
	spec := api.ResourceClaimSpec{Devices: api.DeviceClaim{Requests: f.request}}
	if f.constraint != "" {
		attribute := api.FullyQualifiedName(f.constraint)
		spec.Devices.Constraints = []api.DeviceConstraint{{MatchAttribute: &attribute}}
	}
	return spec
}

func exactly(class string, count int64) []api.DeviceRequest {
	return []api.DeviceRequest{{Name: "a", Exactly: &api.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: api.DeviceAllocationModeExactCount, Count: count}}}
}

func all(class string) []api.DeviceRequest {
	return []api.DeviceRequest{{Name: "a", Exactly: &api.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: api.DeviceAllocationModeAll}}}
}

// firstOf asks for one of a class, or else for two of another one.
func firstOf(better, other string) []api.DeviceRequest {
	return []api.DeviceRequest{{Name: "a", FirstAvailable: []api.DeviceSubRequest{
		{Name: "better", DeviceClassName: better, AllocationMode: api.DeviceAllocationModeExactCount, Count: 1},
		{Name: "other", DeviceClassName: other, AllocationMode: api.DeviceAllocationModeExactCount, Count: 2},
	}}}
}

func pair(class string) []api.DeviceRequest {
	second := exactly(class, 1)[0]
	second.Name = "b"
	return append(exactly(class, 1), second)
}

func capacity(class, amount string) []api.DeviceRequest {
	request := exactly(class, 1)
	request[0].Exactly.Capacity = &api.CapacityRequirements{Requests: quantities(memory, amount)}
	return request
}
