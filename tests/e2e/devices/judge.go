package devices

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	api "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// name of a device.
type name struct{ driver, pool, device string }

func (n name) String() string { return n.driver + "/" + n.pool + "/" + n.device }

// published is a device, and the node that it is on, "" for all nodes.
type published struct {
	api.Device
	node string
}

// judge has what is published, and what was given so far.
type judge struct {
	published map[name]published
	of        map[name]string                                  // The claim that has it alone.
	consumed  map[name]map[api.QualifiedName]resource.Quantity // Of those that claims share.
	broken    []string
}

// Broken says what must never be: a device that two claims have, more of a shared one than there is, a pod that runs
// without all of its devices or on another node than they are.
func Broken(slices []*api.ResourceSlice, claims []*api.ResourceClaim, pods []*v1.Pod) []string {
	j := &judge{published: publishedBy(slices), of: map[name]string{}, consumed: map[name]map[api.QualifiedName]resource.Quantity{}}
	byName := map[string]*api.ResourceClaim{}
	for _, claim := range claims {
		byName[claim.Name] = claim
		if claim.Status.Allocation != nil {
			j.given(claim)
		}
	}
	j.noMoreThanThereIs()
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			j.served(pod, byName)
		}
	}
	return j.broken
}

func publishedBy(slices []*api.ResourceSlice) map[name]published {
	all := map[name]published{}
	for _, slice := range slices {
		node := ""
		if slice.Spec.NodeName != nil {
			node = *slice.Spec.NodeName
		}
		for _, device := range slice.Spec.Devices {
			all[name{slice.Spec.Driver, slice.Spec.Pool.Name, device.Name}] = published{device, node}
		}
	}
	return all
}

func (j *judge) breaks(format string, args ...any) {
	j.broken = append(j.broken, fmt.Sprintf(format, args...))
}

func nameOf(r api.DeviceRequestAllocationResult) name { return name{r.Driver, r.Pool, r.Device} }

func isShared(device published) bool {
	return device.AllowMultipleAllocations != nil && *device.AllowMultipleAllocations
}

// given takes a claim's devices out of what is there.
func (j *judge) given(claim *api.ResourceClaim) {
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.AdminAccess != nil && *result.AdminAccess {
			continue
		}
		of := nameOf(result)
		device, known := j.published[of]
		switch other, taken := j.of[of]; {
		case !known:
			j.breaks("claim %s has %s, which nobody publishes", claim.Name, of)
		case isShared(device):
			j.consume(of, result)
		case taken:
			j.breaks("%s is given to the claims %s and %s", of, other, claim.Name)
		default:
			j.of[of] = claim.Name
		}
	}
}

func (j *judge) consume(of name, result api.DeviceRequestAllocationResult) {
	if j.consumed[of] == nil {
		j.consumed[of] = map[api.QualifiedName]resource.Quantity{}
	}
	for capacity, amount := range result.ConsumedCapacity {
		sum := j.consumed[of][capacity]
		sum.Add(amount)
		j.consumed[of][capacity] = sum
	}
}

func (j *judge) noMoreThanThereIs() {
	for of, consumed := range j.consumed {
		for capacity, sum := range consumed {
			if has := j.published[of].Capacity[capacity].Value; sum.Cmp(has) > 0 {
				j.breaks("claims take %s of %s of %s, which has %s", &sum, capacity, of, &has)
			}
		}
	}
}

// served: a pod with a node has all that it asks for, there.
func (j *judge) served(pod *v1.Pod, claims map[string]*api.ResourceClaim) {
	for _, wanted := range pod.Spec.ResourceClaims {
		of := ""
		if wanted.ResourceClaimName != nil {
			of = *wanted.ResourceClaimName
		}
		for _, status := range pod.Status.ResourceClaimStatuses {
			if status.Name == wanted.Name && status.ResourceClaimName != nil {
				of = *status.ResourceClaimName
			}
		}
		j.serves(pod, of, claims[of])
	}
	if _, wants := pod.Spec.Containers[0].Resources.Requests[Extended]; wants {
		of := ""
		if pod.Status.ExtendedResourceClaimStatus != nil {
			of = pod.Status.ExtendedResourceClaimStatus.ResourceClaimName
		}
		j.serves(pod, of, claims[of])
	}
}

func (j *judge) serves(pod *v1.Pod, of string, claim *api.ResourceClaim) {
	if claim == nil || claim.Status.Allocation == nil {
		j.breaks("pod %s is on %s, and its claim %q has no devices", pod.Name, pod.Spec.NodeName, of)
		return
	}
	if !isReserved(claim, pod.UID) {
		j.breaks("pod %s is on %s, and its claim %s is not reserved for it", pod.Name, pod.Spec.NodeName, of)
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		if node := j.published[nameOf(result)].node; node != "" && node != pod.Spec.NodeName {
			j.breaks("pod %s is on %s, and its device %s on %s", pod.Name, pod.Spec.NodeName, nameOf(result), node)
		}
	}
	for _, request := range claim.Spec.Devices.Requests {
		if !j.complete(request, claim, pod.Spec.NodeName) {
			j.breaks("claim %s of pod %s has not all that %s asks for: %v", of, pod.Name, request.Name, claim.Status.Allocation.Devices.Results)
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		j.alike(claim, constraint)
	}
}

func isReserved(claim *api.ResourceClaim, pod types.UID) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r api.ResourceClaimConsumerReference) bool { return r.UID == pod })
}

// complete says whether the claim has as many devices as the request wants.
func (j *judge) complete(request api.DeviceRequest, claim *api.ResourceClaim, node string) bool {
	if request.Exactly != nil {
		return j.count(request.Name, claim) == j.wanted(request.Exactly.AllocationMode, request.Exactly.Count, request.Exactly.DeviceClassName, node)
	}
	return slices.ContainsFunc(request.FirstAvailable, func(one api.DeviceSubRequest) bool {
		return j.count(request.Name+"/"+one.Name, claim) == j.wanted(one.AllocationMode, one.Count, one.DeviceClassName, node)
	})
}

func (j *judge) count(request string, claim *api.ResourceClaim) (count int) {
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Request == request {
			count++
		}
	}
	return count
}

func (j *judge) wanted(mode api.DeviceAllocationMode, count int64, class, node string) (wanted int) {
	if mode != api.DeviceAllocationModeAll {
		return int(count)
	}
	for of, device := range j.published {
		if of.driver == class+suffix && device.node == node {
			wanted++
		}
	}
	return wanted
}

// alike: devices that must have an attribute in common have. Only numbers are known here.
func (j *judge) alike(claim *api.ResourceClaim, constraint api.DeviceConstraint) {
	var first *int64
	for _, result := range claim.Status.Allocation.Devices.Results {
		attribute := j.published[nameOf(result)].Attributes["numa"]
		if constraint.MatchAttribute == nil || *constraint.MatchAttribute != api.FullyQualifiedName(result.Driver+"/numa") || attribute.IntValue == nil {
			j.breaks("claim %s has %s, which has not the attribute %v", claim.Name, nameOf(result), constraint.MatchAttribute)
			continue
		}
		if first == nil {
			first = attribute.IntValue
		}
		if *first != *attribute.IntValue {
			j.breaks("claim %s has devices of two numa nodes", claim.Name)
		}
	}
}
