package devices

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	api "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

const (
	suffix   = ".e2e.example"
	memory   = "memory"
	attached = "attached" // The condition that a device of the fabric is bound by.
)

// Publish makes the classes, the devices of all nodes, and what the forms name: templates, and claims that pods share.
func Publish(ctx context.Context, c *cluster.Cluster, forms []Form) error {
	for _, class := range []string{gpus, tpus, nics, larges, shares, fabric} {
		extended := ""
		if class == gpus {
			extended = Extended
		}
		if err := AddClass(ctx, c, class, extended); err != nil {
			return err
		}
	}
	for _, slice := range Slices() {
		if err := AddSlice(ctx, c, slice); err != nil {
			return err
		}
	}
	for _, form := range forms {
		if form.request != nil && form.sharers == 0 {
			if err := AddTemplate(ctx, c, form.Name, form.spec()); err != nil {
				return err
			}
		}
	}
	return nil
}

// ShareClaims makes the claims that pods share. They go when their pods are cleared.
func ShareClaims(ctx context.Context, c *cluster.Cluster, forms []Form) error {
	for _, form := range forms {
		for number := 0; form.sharers > 0 && number < form.Pods; number += form.sharers {
			claim := &api.ResourceClaim{ObjectMeta: meta.ObjectMeta{Name: form.sharedClaim(number)}, Spec: form.spec()}
			if _, err := c.Client.ResourceV1().ResourceClaims(cluster.Namespace).Create(ctx, claim, meta.CreateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// AddClass makes a class of the devices of the driver of its name; they are the extended resource, "" for none.
func AddClass(ctx context.Context, c *cluster.Cluster, name, extended string) error {
	class := &api.DeviceClass{ObjectMeta: meta.ObjectMeta{Name: name}, Spec: api.DeviceClassSpec{
		Selectors: []api.DeviceSelector{Selector(fmt.Sprintf("device.driver == %q", name+suffix))}}}
	if extended != "" {
		class.Spec.ExtendedResourceName = &extended
	}
	_, err := c.Client.ResourceV1().DeviceClasses().Create(ctx, class, meta.CreateOptions{})
	return err
}

// Selector by an expression of CEL.
func Selector(expression string) api.DeviceSelector {
	return api.DeviceSelector{CEL: &api.CELDeviceSelector{Expression: expression}}
}

// AddSlice creates it.
func AddSlice(ctx context.Context, c *cluster.Cluster, slice *api.ResourceSlice) error {
	_, err := c.Client.ResourceV1().ResourceSlices().Create(ctx, slice, meta.CreateOptions{})
	return err
}

// AddTemplate makes a template of claims.
func AddTemplate(ctx context.Context, c *cluster.Cluster, name string, spec api.ResourceClaimSpec) error {
	template := &api.ResourceClaimTemplate{ObjectMeta: meta.ObjectMeta{Name: name}, Spec: api.ResourceClaimTemplateSpec{Spec: spec}}
	_, err := c.Client.ResourceV1().ResourceClaimTemplates(cluster.Namespace).Create(ctx, template, meta.CreateOptions{})
	return err
}

// Slices are all that the drivers of the forms publish.
func Slices() (slices []*api.ResourceSlice) {
	for i := range Nodes {
		node := fmt.Sprintf("node-%04d", i)
		slices = append(slices, Slice(gpus, node, devices(10, numa)...))
		if i%2 == 0 {
			slices = append(slices, Slice(tpus, node, devices(4)...))
		}
		if i%3 != 0 {
			slices = append(slices, Slice(nics, node, devices(2)...))
		}
		if i%3 != 1 {
			slices = append(slices, Slice(larges, node, devices(1)...))
		}
		if i%4 == 0 {
			slices = append(slices, Slice(shares, node, devices(1, shared("80Gi"))...))
		}
	}
	return append(slices, Slice(fabric, "", devices(20, bindsLate)...))
}

// Slice is a whole pool of the class's driver on a node, "" for all nodes.
func Slice(class, node string, of ...api.Device) *api.ResourceSlice {
	slice := &api.ResourceSlice{
		ObjectMeta: meta.ObjectMeta{Name: class + "-" + node},
		Spec: api.ResourceSliceSpec{Driver: class + suffix, Devices: of,
			Pool: api.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}},
	}
	if node == "" {
		everywhere := true
		slice.Name, slice.Spec.Pool.Name, slice.Spec.AllNodes = class, class, &everywhere
	} else {
		slice.Spec.NodeName = &node
	}
	return slice
}

func devices(count int, edits ...func(int, *api.Device)) (list []api.Device) {
	for i := range count {
		device := api.Device{Name: fmt.Sprintf("device-%d", i)}
		for _, edit := range edits {
			edit(i, &device)
		}
		list = append(list, device)
	}
	return list
}

// numa has devices of two numa nodes in turn.
func numa(i int, device *api.Device) {
	number := int64(i % 2)
	device.Attributes = map[api.QualifiedName]api.DeviceAttribute{"numa": {IntValue: &number}}
}

// shared is memory that several claims may take their part of.
func shared(amount string) func(int, *api.Device) {
	return func(_ int, device *api.Device) {
		several, least := true, resource.MustParse("10Gi")
		device.AllowMultipleAllocations = &several
		device.Capacity = map[api.QualifiedName]api.DeviceCapacity{memory: {
			Value:         resource.MustParse(amount),
			RequestPolicy: &api.CapacityRequestPolicy{Default: &least, ValidRange: &api.CapacityRequestPolicyRange{Min: &least}},
		}}
	}
}

// bindsLate: a pod is bound when the driver says that the device is attached to its node.
func bindsLate(_ int, device *api.Device) {
	binds := true
	device.BindsToNode, device.BindingConditions = &binds, []string{attached}
	device.BindingFailureConditions = []string{"failed"}
}

func quantities(name api.QualifiedName, amount string) map[api.QualifiedName]resource.Quantity {
	return map[api.QualifiedName]resource.Quantity{name: resource.MustParse(amount)}
}

// Owner is the pod as the controller of what is made for it.
func owner(pod *v1.Pod) []meta.OwnerReference {
	return []meta.OwnerReference{*meta.NewControllerRef(pod, v1.SchemeGroupVersion.WithKind("Pod"))}
}
