package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	api "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/devices"
)

// plantedNodes have the devices of a planted pod; on all others there are only devices of other classes.
var plantedNodes = []string{"node-0000", "node-0001"}

// planted is a pod whose claim nothing satisfies. Its class and its driver have names in which no cause is a word.
type planted struct {
	what    string
	class   string
	devices []api.Device
	slices  int64 // That a pool should have; one is there.
	request api.DeviceRequest
	match   string     // An attribute that the devices of two such requests must have in common.
	before  func(*T)   // Once the devices are there.
	says    [][]string // Of each of these, one is in Winnow's explanation, in any case.
}

// plantedClaims: of each pod whose claim does not fit, `winnow explain` and the running Winnow name the cause.
func plantedClaims(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(devices.Nodes, 3)))
	t.must(devices.Publish(t.Ctx, t.Cluster, devices.Forms()))
	player := devices.Play(t.Ctx, t.Cluster)
	t.later(func() { t.must(player.Stop()) })
	t.start(today)
	for _, one := range plantedPods() {
		t.plant(one)
	}
}

func plantedPods() []planted {
	one := api.DeviceRequest{Name: "a"}
	large := api.DeviceRequest{Name: "a", Exactly: &api.ExactDeviceRequest{Selectors: []api.DeviceSelector{
		devices.Selector(`device.capacity["w2.e2e.example"].memory.compareTo(quantity("80Gi")) >= 0`)}}}
	return []planted{
		{what: "all devices are allocated", class: "w1", devices: []api.Device{{Name: "d-0"}}, request: one,
			before: func(t *T) { t.holdAll("w1") }, says: [][]string{{"device"}, {"allocated", "in use", "held by", "taken"}}},
		{what: "a selector that no device meets", class: "w2", devices: []api.Device{ofMemory("d-0", "40Gi"), ofMemory("d-1", "40Gi")},
			request: large, says: [][]string{{"device"}, {"selector", "capacity", "80gi"}}},
		{what: "a tainted device", class: "w3", devices: []api.Device{{Name: "d-0"}}, request: one,
			before: func(t *T) { t.taintDevices("w3") }, says: [][]string{{"device"}, {"taint"}}},
		{what: "a tainted device, by its slice", class: "w4", devices: []api.Device{{Name: "d-0",
			Taints: []api.DeviceTaint{{Key: "e2e.example/hot", Effect: api.DeviceTaintEffectNoSchedule}}}}, request: one,
			says: [][]string{{"device"}, {"taint"}}},
		{what: "an incomplete pool", class: "w5", devices: []api.Device{{Name: "d-0"}}, slices: 2, request: one,
			says: [][]string{{"pool"}, {"incomplete", "slices", "complete"}}},
		{what: "devices without an attribute in common", class: "w6", devices: []api.Device{onNuma("d-0", 0), onNuma("d-1", 1)},
			request: one, match: "w6.e2e.example/numa", says: [][]string{{"constraint", "matchattribute", "in common", "numa"}}},
	}
}

func ofMemory(name, amount string) api.Device {
	return api.Device{Name: name, Capacity: map[api.QualifiedName]api.DeviceCapacity{"memory": {Value: resource.MustParse(amount)}}}
}

func onNuma(name string, number int64) api.Device {
	return api.Device{Name: name, Attributes: map[api.QualifiedName]api.DeviceAttribute{"numa": {IntValue: &number}}}
}

// plant publishes the devices, makes the pod, and asks why it waits.
func (t *T) plant(one planted) {
	t.must(devices.AddClass(t.Ctx, t.Cluster, one.class, ""))
	for _, node := range plantedNodes {
		slice := devices.Slice(one.class, node, one.devices...)
		slice.Spec.Pool.ResourceSliceCount = max(1, one.slices)
		t.must(devices.AddSlice(t.Ctx, t.Cluster, slice))
	}
	t.must(devices.AddTemplate(t.Ctx, t.Cluster, one.class, one.spec()))
	if one.before != nil {
		one.before(t)
	}
	pod := "planted-" + one.class
	t.add(cluster.Pod(pod, cluster.ClaimsDeviceBy(one.class)))
	told := t.unscheduled(pod, 20*time.Second)
	t.check(told != "" && t.Watch.NodeOf(pod) == "", "%s: the pod does not wait: %s", one.what, t.history(pod))

	kubeconfig, err := t.Kubeconfig(bed.Admin, t.Balancer.URL)
	t.must(err)
	out, errors, exit := t.runCommand("explain", cluster.Namespace+"/"+pod, "--kubeconfig", kubeconfig, "--config", t.rulesFile(), "--width", "0")
	t.check(exit == 1, "%s: winnow explain ends with %d: %s", one.what, exit, errors)
	t.namesCause(one, "winnow explain", out)
	code, answer, err := bed.Post(t.Winnow.URL+"/explain", fmt.Sprintf(`{"Name":%q}`, pod))
	t.check(err == nil && code == 200, "%s: /explain answers %d %v", one.what, code, err)
	t.namesCause(one, "/explain", answer)
	t.note("%s: kube-scheduler says %q, and Winnow\n%s", one.what, told, strings.TrimSpace(out))
}

// namesCause: the explanation has one of each list's words.
func (t *T) namesCause(one planted, who, text string) {
	text = strings.ToLower(strings.ReplaceAll(text, "DynamicResources", "")) // A rule is no cause.
	for _, words := range one.says {
		named := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
		t.check(named, "%s: %s names none of %q: %.3000s", one.what, who, words, text)
	}
}

func (p planted) spec() api.ResourceClaimSpec {
	request := p.request
	exactly := api.ExactDeviceRequest{}
	if request.Exactly != nil {
		exactly = *request.Exactly
	}
	exactly.DeviceClassName, exactly.AllocationMode, exactly.Count = p.class, api.DeviceAllocationModeExactCount, 1
	request.Exactly = &exactly
	spec := api.ResourceClaimSpec{Devices: api.DeviceClaim{Requests: []api.DeviceRequest{request}}}
	if p.match != "" {
		second, attribute := request, api.FullyQualifiedName(p.match)
		second.Name = "b"
		spec.Devices.Requests = append(spec.Devices.Requests, second)
		spec.Devices.Constraints = []api.DeviceConstraint{{MatchAttribute: &attribute}}
	}
	return spec
}

// holdAll has pods run that have all devices of the class.
func (t *T) holdAll(class string) {
	var holders []*v1.Pod
	for i := range plantedNodes {
		holders = append(holders, cluster.Pod(fmt.Sprintf("runs-%d", i), cluster.ClaimsDeviceBy(class)))
	}
	t.add(holders...)
	for _, pod := range holders {
		t.check(t.bound(pod.Name, 20*time.Second) != "", "a pod is not bound that a device is there for: %s", t.history(pod.Name))
	}
}

// taintDevices by a rule, as an administrator does.
func (t *T) taintDevices(class string) {
	driver := class + ".e2e.example"
	rule := &api.DeviceTaintRule{ObjectMeta: meta.ObjectMeta{Name: class}, Spec: api.DeviceTaintRuleSpec{
		DeviceSelector: &api.DeviceTaintSelector{Driver: &driver},
		Taint:          api.DeviceTaint{Key: "e2e.example/hot", Effect: api.DeviceTaintEffectNoSchedule}}}
	_, err := t.Client.ResourceV1().DeviceTaintRules().Create(t.Ctx, rule, meta.CreateOptions{})
	t.must(err)
	time.Sleep(200 * time.Millisecond) // For the watches of all.
}
