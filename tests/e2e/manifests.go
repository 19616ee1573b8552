package main

import (
	"reflect"
	"strings"

	"sigs.k8s.io/yaml"
	"winnow.test/e2e/cluster"
)

// manifests: the API server takes each of them, and what is written twice is the same. Of objects of cert-manager it
// knows nothing; tests/manifests reads them.
func manifests(t *T) {
	for _, name := range []string{"rbac.yaml", "standalone.yaml", "second-scheduler.yaml", "static-pod.yaml",
		"standalone-tls.yaml", "token-reviews.yaml", "nominator.yaml", "nominator-gate.yaml", "shadow.yaml", "node-metrics.yaml"} {
		objects, err := cluster.ReadManifest(t.manifest(name))
		t.must(err)
		t.check(len(objects) > 0, "%s has no objects", name)
		for _, object := range objects {
			if strings.HasPrefix(object.GetAPIVersion(), "cert-manager.io/") {
				continue
			}
			err := t.Apply(t.Ctx, object, true)
			t.check(err == nil, "%s: %v", name, err)
		}
	}
	t.sameConfiguration()
}

// sameConfiguration: second-scheduler.yaml has what kube-scheduler-best.yaml has, but for the name and the election.
func (t *T) sameConfiguration() {
	best, second := map[string]any{}, map[string]any{}
	t.must(yaml.UnmarshalStrict([]byte(t.read(t.manifest("kube-scheduler-best.yaml"))), &best))
	t.must(yaml.UnmarshalStrict([]byte(t.inConfigMap("kube-scheduler.yaml")), &second))
	delete(second, "leaderElection")
	second["profiles"].([]any)[0].(map[string]any)["schedulerName"] = "default-scheduler"
	t.check(reflect.DeepEqual(best, second), "kube-scheduler-best.yaml has\n%v\nand second-scheduler.yaml\n%v", best, second)
}

// apply creates what a manifest has.
func (t *T) apply(name string) {
	objects, err := cluster.ReadManifest(t.manifest(name))
	t.must(err)
	for _, object := range objects {
		t.must(t.Apply(t.Ctx, object, false))
	}
}
