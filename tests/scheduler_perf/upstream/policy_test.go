package upstream

import (
	"errors"
	"os"
	"strings"
	"time"

	admission "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	perf "k8s.io/kubernetes/test/integration/scheduler_perf"
	"k8s.io/kubernetes/test/utils/client-go/ktesting"
	"sigs.k8s.io/yaml"
)

// applyPolicy of manifests/nominator-gate.yaml, for all namespaces: upstream's have no label.
func applyPolicy(tCtx ktesting.TContext, manifest string) error {
	if manifest == "" {
		return nil
	}
	text, err := os.ReadFile(manifest)
	if err != nil {
		return err
	}
	policies := tCtx.Client().AdmissionregistrationV1()
	for _, document := range strings.Split(string(text), "\n---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			return err
		}
		switch kind.Kind {
		case "MutatingAdmissionPolicy":
			var policy admission.MutatingAdmissionPolicy
			if err := yaml.UnmarshalStrict([]byte(document), &policy); err != nil {
				return err
			}
			policy.Spec.MatchConstraints.NamespaceSelector.MatchLabels = nil
			_, err = policies.MutatingAdmissionPolicies().Create(tCtx, &policy, meta.CreateOptions{})
		case "MutatingAdmissionPolicyBinding":
			var binding admission.MutatingAdmissionPolicyBinding
			if err := yaml.UnmarshalStrict([]byte(document), &binding); err != nil {
				return err
			}
			_, err = policies.MutatingAdmissionPolicyBindings().Create(tCtx, &binding, meta.CreateOptions{})
		}
		if err != nil {
			return err
		}
	}
	return waitGated(tCtx)
}

// waitGated: the API server learns of a policy by a watch of its own.
func waitGated(tCtx ktesting.TContext) error {
	pod := &core.Pod{ObjectMeta: meta.ObjectMeta{GenerateName: "gated-"}, Spec: perf.MakePodSpec()}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		made, err := tCtx.Client().CoreV1().Pods("default").Create(tCtx, pod, meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
		if err != nil {
			return err
		}
		if len(made.Spec.SchedulingGates) > 0 {
			return nil
		}
	}
	return errors.New("after a minute the policy adds no gate")
}
