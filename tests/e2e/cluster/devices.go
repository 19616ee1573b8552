package cluster

import (
	"context"

	v1 "k8s.io/api/core/v1"
	devices "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// AddDeviceClass makes a class of all devices of all drivers; its devices are the extended resource, "" for none.
func (c *Cluster) AddDeviceClass(ctx context.Context, name, extended string) error {
	class := &devices.DeviceClass{ObjectMeta: meta.ObjectMeta{Name: name}}
	if extended != "" {
		class.Spec.ExtendedResourceName = &extended
	}
	_, err := c.Client.ResourceV1().DeviceClasses().Create(ctx, class, meta.CreateOptions{})
	return err
}

// AddDevices has a driver offer so many devices of a node.
func (c *Cluster) AddDevices(ctx context.Context, node string, count int) error {
	slice := &devices.ResourceSlice{
		ObjectMeta: meta.ObjectMeta{Name: "devices-of-" + node},
		Spec: devices.ResourceSliceSpec{Driver: "devices.e2e.example", NodeName: &node,
			Pool: devices.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}},
	}
	for i := range count {
		slice.Spec.Devices = append(slice.Spec.Devices, devices.Device{Name: "device-" + string(rune('a'+i))})
	}
	_, err := c.Client.ResourceV1().ResourceSlices().Create(ctx, slice, meta.CreateOptions{})
	return err
}

// AddDeviceClaim makes a claim of one device of the class.
func (c *Cluster) AddDeviceClaim(ctx context.Context, name, class string) error {
	claim := &devices.ResourceClaim{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: Namespace},
		Spec: devices.ResourceClaimSpec{Devices: devices.DeviceClaim{Requests: []devices.DeviceRequest{{
			Name: "one", Exactly: &devices.ExactDeviceRequest{DeviceClassName: class}}}}},
	}
	_, err := c.Client.ResourceV1().ResourceClaims(Namespace).Create(ctx, claim, meta.CreateOptions{})
	return err
}

// AddGang makes a PodGroup whose pods run only if so many of them do.
func (c *Cluster) AddGang(ctx context.Context, name string, least int32) error {
	group := &scheduling.PodGroup{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: Namespace},
		Spec: scheduling.PodGroupSpec{SchedulingPolicy: scheduling.PodGroupSchedulingPolicy{
			Gang: &scheduling.GangSchedulingPolicy{MinCount: least}}},
	}
	_, err := c.Client.SchedulingV1beta1().PodGroups(Namespace).Create(ctx, group, meta.CreateOptions{})
	return err
}

// ClaimsDevice names a claim of devices.
func ClaimsDevice(claim string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: "device", ResourceClaimName: &claim})
	}
}

// ClaimsDeviceBy names a template of claims.
func ClaimsDeviceBy(template string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: "device", ResourceClaimTemplateName: &template})
	}
}

// OfGang names the pod's group.
func OfGang(group string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group} }
}

// Wants asks for an extended resource beside what the pod asks for already.
func Wants(name, amount string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		resources := &pod.Spec.Containers[0].Resources
		if resources.Requests == nil {
			resources.Requests = v1.ResourceList{}
		}
		resources.Requests[v1.ResourceName(name)] = resource.MustParse(amount)
		resources.Limits = v1.ResourceList{v1.ResourceName(name): resource.MustParse(amount)}
	}
}

// withoutFinalizers is what the controllers do that do not run here.
var withoutFinalizers = []byte(`{"metadata":{"finalizers":null}}`)

// ClearClaims deletes the claims of devices.
func (c *Cluster) ClearClaims(ctx context.Context) error {
	claims := c.Client.ResourceV1().ResourceClaims(Namespace)
	list, err := claims.List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	for _, claim := range list.Items {
		claims.Delete(ctx, claim.Name, meta.DeleteOptions{})
		claims.Patch(ctx, claim.Name, types.MergePatchType, withoutFinalizers, meta.PatchOptions{})
	}
	return nil
}

func (c *Cluster) clearGangs(ctx context.Context) error {
	groups := c.Client.SchedulingV1beta1().PodGroups(Namespace)
	list, err := groups.List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	for _, group := range list.Items {
		groups.Delete(ctx, group.Name, meta.DeleteOptions{})
		groups.Patch(ctx, group.Name, types.MergePatchType, withoutFinalizers, meta.PatchOptions{})
	}
	return nil
}

// ClearDevices deletes claims and classes of devices, templates of claims, the devices and their taints, and groups.
func (c *Cluster) ClearDevices(ctx context.Context) error {
	now, all := meta.DeleteOptions{}, meta.ListOptions{}
	if err := c.ClearClaims(ctx); err != nil {
		return err
	}
	if err := c.clearGangs(ctx); err != nil {
		return err
	}
	api := c.Client.ResourceV1()
	if err := api.ResourceClaimTemplates(Namespace).DeleteCollection(ctx, now, all); err != nil {
		return err
	}
	if err := api.ResourceSlices().DeleteCollection(ctx, now, all); err != nil {
		return err
	}
	if err := api.DeviceTaintRules().DeleteCollection(ctx, now, all); err != nil {
		return err
	}
	return api.DeviceClasses().DeleteCollection(ctx, now, all)
}
