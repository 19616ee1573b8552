package main

import (
	"strings"

	"winnow.test/e2e/cluster"
)

// manifests: the API server takes each of them, and what is written twice is the same.
func manifests(t *T) {
	for _, name := range []string{"rbac.yaml", "standalone.yaml", "second-scheduler.yaml"} {
		objects, err := cluster.ReadManifest(t.manifest(name))
		t.must(err)
		t.check(len(objects) > 0, "%s has no objects", name)
		for _, object := range objects {
			err := t.Apply(t.Ctx, object, true)
			t.check(err == nil, "%s: %v", name, err)
		}
	}
	t.sameConfiguration()
}

// sameConfiguration: second-scheduler.yaml has the lines of kube-scheduler-best.yaml, but for the name and the
// election.
func (t *T) sameConfiguration() {
	best := t.read(t.manifest("kube-scheduler-best.yaml"))
	best = strings.Replace(best, "schedulerName: default-scheduler", "schedulerName: winnow", 1)
	second := t.read(t.manifest("second-scheduler.yaml"))
	for _, line := range strings.Split(best, "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			t.check(strings.Contains(second,
				"\n    "+line+"\n"), "second-scheduler.yaml lacks this line of kube-scheduler-best.yaml: %q", line)
		}
	}
}

// apply creates what a manifest has.
func (t *T) apply(name string) {
	objects, err := cluster.ReadManifest(t.manifest(name))
	t.must(err)
	for _, object := range objects {
		t.must(t.Apply(t.Ctx, object, false))
	}
}
