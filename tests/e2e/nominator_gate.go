package main

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/cluster"
)

const (
	// gateLabel is that of namespaces whose pods get the gate.
	gateLabel = "winnow.dev/nominate"
	// nominateGate is the gate itself.
	nominateGate = "winnow.dev/nominate"
)

// nominatorGate: the policy of manifests/nominator-gate.yaml adds the gate to the pods that Winnow decides in the
// namespaces that are labelled, and to no other pod.
func nominatorGate(t *T) {
	t.apply("nominator-gate.yaml")
	t.later(t.removeGatePolicy)
	t.label(cluster.Namespace, "true")
	t.later(func() { t.label(cluster.Namespace, "") })
	gated := func() bool { return slices.Contains(t.gatesOf(cluster.Pod("first")), nominateGate) }
	if !t.check(cluster.Until(30*time.Second, gated), "no gate was added within 30 s after the policy was made") {
		return
	}
	for _, row := range []struct {
		what  string
		pod   *v1.Pod
		gates []string
	}{
		{"a plain pod", cluster.Pod("plain"), []string{nominateGate}},
		{"one with an owner", cluster.Pod("owned", ownedBy("apps/v1", "ReplicaSet")), []string{nominateGate}},
		{"one with a gate", cluster.Pod("other", withGate("example.com/other")), []string{"example.com/other", nominateGate}},
		{"one that has it already", cluster.Pod("twice", withGate(nominateGate)), []string{nominateGate}},
		{"one of a DaemonSet", cluster.Pod("daemon", ownedBy("apps/v1", "DaemonSet")), nil},
		{"one of another kind of that name", cluster.Pod("like", ownedBy("example.com/v1", "DaemonSet")), []string{nominateGate}},
		{"one with a node", cluster.Pod("placed", cluster.On("node-00000")), nil},
		{"one of another scheduler", cluster.Pod("else", cluster.By("else")), nil},
	} {
		found := t.gatesOf(row.pod)
		slices.Sort(found)
		t.check(slices.Equal(found, row.gates), "%s has the gates %q, expected %q", row.what, found, row.gates)
	}
	t.label("kube-system", "true")
	t.later(func() { t.label("kube-system", "") })
	time.Sleep(500 * time.Millisecond) // The policy's own watch of namespaces.
	system := cluster.Pod("system")
	system.Namespace = "kube-system"
	t.check(len(t.gatesOf(system)) == 0, "a pod of kube-system has a gate")
	t.label(cluster.Namespace, "false")
	t.check(cluster.Until(10*time.Second, func() bool { return !gated() }), "a gate is added where the label says false")
}

// gatesOf creates the pod as a dry run, and gives the names of the gates that it would have.
func (t *T) gatesOf(pod *v1.Pod) (names []string) {
	made, err := t.Client.CoreV1().Pods(pod.Namespace).Create(t.Ctx, pod, meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
	t.must(err)
	for _, gate := range made.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return names
}

// label sets the gate's label of a namespace, or removes it if the value is "".
func (t *T) label(namespace, value string) {
	quoted := "null"
	if value != "" {
		quoted = fmt.Sprintf("%q", value)
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, gateLabel, quoted)
	_, err := t.Client.CoreV1().Namespaces().Patch(t.Ctx, namespace, types.MergePatchType, patch, meta.PatchOptions{})
	t.must(err)
}

func (t *T) removeGatePolicy() {
	admission := t.Client.AdmissionregistrationV1()
	admission.MutatingAdmissionPolicyBindings().Delete(t.Ctx, "winnow-nominate", meta.DeleteOptions{})
	admission.MutatingAdmissionPolicies().Delete(t.Ctx, "winnow-nominate", meta.DeleteOptions{})
	t.Client.RbacV1().ClusterRoleBindings().Delete(t.Ctx, "winnow-nominator-gate", meta.DeleteOptions{})
}

func ownedBy(apiVersion, kind string) func(*v1.Pod) {
	yes := true
	return func(pod *v1.Pod) {
		pod.OwnerReferences = append(pod.OwnerReferences,
			meta.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: "owner", UID: "1", Controller: &yes})
	}
}

func withGate(name string) func(*v1.Pod) {
	return func(pod *v1.Pod) {
		pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, v1.PodSchedulingGate{Name: name})
	}
}
