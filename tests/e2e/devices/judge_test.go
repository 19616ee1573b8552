package devices

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	api "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/cluster"
)

// gave is a claim of the form that was given devices of a pool: "CLASS POOL DEVICE…".
func gave(form, claim, pod string, results ...string) *api.ResourceClaim {
	forms := Forms()
	of := forms[slices.IndexFunc(forms, func(f Form) bool { return f.Name == form })]
	made := &api.ResourceClaim{ObjectMeta: meta.ObjectMeta{Name: claim}, Spec: of.spec()}
	made.Status.Allocation = &api.AllocationResult{}
	if pod != "" {
		made.Status.ReservedFor = []api.ResourceClaimConsumerReference{{Resource: "pods", Name: pod, UID: types.UID(pod)}}
	}
	for _, result := range results {
		words := strings.Fields(result)
		one := api.DeviceRequestAllocationResult{Request: words[0], Driver: words[1] + suffix, Pool: words[2], Device: "device-" + words[3]}
		if len(words) > 4 {
			one.ConsumedCapacity = map[api.QualifiedName]resource.Quantity{memory: resource.MustParse(words[4])}
		}
		made.Status.Allocation.Devices.Results = append(made.Status.Allocation.Devices.Results, one)
	}
	return made
}

func runs(pod, node, claim string) *v1.Pod {
	made := cluster.Pod(pod, cluster.On(node), cluster.ClaimsDevice(claim))
	made.UID = types.UID(pod)
	return made
}

func TestBroken(t *testing.T) {
	const node = "node-0000"
	for _, test := range []struct {
		what   string
		claims []*api.ResourceClaim
		pods   []*v1.Pod
		says   string // "" for nothing.
	}{
		{"one each", []*api.ResourceClaim{gave("one", "x", "", "a tpu node-0000 0"), gave("one", "y", "", "a tpu node-0000 1")}, nil, ""},
		{"twice", []*api.ResourceClaim{gave("one", "x", "", "a tpu node-0000 0"), gave("one", "y", "", "a tpu node-0000 0")}, nil,
			"tpu.e2e.example/node-0000/device-0 is given to the claims x and y"},
		{"unknown", []*api.ResourceClaim{gave("one", "x", "", "a tpu node-0000 4")}, nil, "nobody publishes"},
		{"all of a share", []*api.ResourceClaim{gave("share", "x", "", "a share node-0000 0 40Gi"), gave("share", "y", "", "a share node-0000 0 40Gi")}, nil, ""},
		{"too much of a share", []*api.ResourceClaim{gave("share", "x", "", "a share node-0000 0 40Gi"), gave("share", "y", "", "a share node-0000 0 50Gi")}, nil,
			"claims take 90Gi of memory of share.e2e.example/node-0000/device-0, which has 80Gi"},
		{"served", []*api.ResourceClaim{gave("two", "x", "p", "a gpu node-0000 0", "a gpu node-0000 1")}, []*v1.Pod{runs("p", node, "x")}, ""},
		{"too few", []*api.ResourceClaim{gave("two", "x", "p", "a gpu node-0000 0")}, []*v1.Pod{runs("p", node, "x")}, "has not all that a asks for"},
		{"another node", []*api.ResourceClaim{gave("one", "x", "p", "a tpu node-0002 0")}, []*v1.Pod{runs("p", node, "x")}, "is on node-0000, and its device"},
		{"not reserved", []*api.ResourceClaim{gave("one", "x", "q", "a tpu node-0000 0")}, []*v1.Pod{runs("p", node, "x")}, "is not reserved for it"},
		{"no claim", nil, []*v1.Pod{runs("p", node, "x")}, "has no devices"},
		{"all", []*api.ResourceClaim{gave("all", "x", "p", "a nic node-0001 0", "a nic node-0001 1")}, []*v1.Pod{runs("p", "node-0001", "x")}, ""},
		{"not all", []*api.ResourceClaim{gave("all", "x", "p", "a nic node-0001 1")}, []*v1.Pod{runs("p", "node-0001", "x")}, "has not all that a asks for"},
		{"the second", []*api.ResourceClaim{gave("first", "x", "p", "a/other gpu node-0000 0", "a/other gpu node-0000 1")}, []*v1.Pod{runs("p", node, "x")}, ""},
		{"half the second", []*api.ResourceClaim{gave("first", "x", "p", "a/other gpu node-0000 0")}, []*v1.Pod{runs("p", node, "x")}, "has not all that a asks for"},
		{"one numa node", []*api.ResourceClaim{gave("match", "x", "p", "a gpu node-0000 0", "b gpu node-0000 2")}, []*v1.Pod{runs("p", node, "x")}, ""},
		{"two numa nodes", []*api.ResourceClaim{gave("match", "x", "p", "a gpu node-0000 0", "b gpu node-0000 1")}, []*v1.Pod{runs("p", node, "x")}, "two numa nodes"},
		{"nothing extended", nil, []*v1.Pod{cluster.Pod("p", cluster.On(node), cluster.Wants(Extended, "1"))}, "has no devices"},
	} {
		said := Broken(Slices(), test.claims, test.pods)
		if test.says == "" && len(said) > 0 || test.says != "" && (len(said) != 1 || !strings.Contains(said[0], test.says)) {
			t.Errorf("%s: %q, expected %q", test.what, said, test.says)
		}
	}
}

// TestForms: where devices cannot be left in pieces, there are as many as the forms ask for.
func TestForms(t *testing.T) {
	pods, devices := 0, map[string]int{}
	for _, form := range Forms() {
		pods += form.Pods
	}
	for _, slice := range Slices() {
		devices[slice.Spec.Driver] += len(slice.Spec.Devices)
	}
	for driver, count := range map[string]int{tpus: 120, nics: 80, shares: 15, fabric: 20} {
		if devices[driver+suffix] != count {
			t.Errorf("there are %d of %s, expected %d", devices[driver+suffix], driver, count)
		}
	}
	if pods != 500 {
		t.Errorf("there are %d pods", pods)
	}
}
