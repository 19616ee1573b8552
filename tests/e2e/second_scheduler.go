package main

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// secondScheduler: what manifests/second-scheduler.yaml grants and configures is enough for a second kube-scheduler
// with Winnow beside it, both as its one service account, leader election included. Pods of the first scheduler are
// left alone. Its account may bind, too, where Winnow is to.
func secondScheduler(t *T) {
	t.apply("rbac.yaml")
	t.apply("second-scheduler.yaml")
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(6, 3)))
	rules := t.file("rules.yaml", t.inConfigMap("rules.yaml"))
	t.runWinnow(bed.Second, 0, append([]string{"--config", rules}, ways[t.way].flags...)...)
	t.later(func() { t.Winnow.Stop() })
	t.must(t.Winnow.WaitReady())
	configuration, bound := t.inConfigMap("kube-scheduler.yaml"), 0.0
	if ways[t.way].binds() {
		configuration, bound = t.withBindVerb(configuration), 20
	}
	scheduler, err := t.StartSchedulerAs(bed.Second, configuration, t.Winnow.URL)
	if scheduler != nil {
		t.later(func() { scheduler.Stop() })
	}
	t.must(err)
	t.add(cluster.Pods("mine", 20, cluster.By("winnow"))...)
	t.add(cluster.Pod("not-mine"))
	t.nodesOf("mine", 20)
	time.Sleep(time.Second)
	t.check(t.Watch.NodeOf("not-mine") == "", "a pod of the first scheduler is on %s", t.Watch.NodeOf("not-mine"))
	binds, err := bed.Metric(t.Winnow.URL, "winnow_binds_total")
	t.check(err == nil && binds == bound, "winnow has bound %v pods (%v)", binds, err)
	calls := t.filterCalls()
	t.check(calls >= 20, "filter was asked %v times for 20 pods", calls)
	for _, line := range strings.Split(scheduler.Tail(1000), "\n") {
		t.check(!strings.Contains(line, "orbidden"), "kube-scheduler is denied something: %s", line)
	}
}

// inConfigMap gives a file of the manifest's ConfigMap.
func (t *T) inConfigMap(file string) string {
	objects, err := cluster.ReadManifest(t.manifest("second-scheduler.yaml"))
	t.must(err)
	for _, object := range objects {
		if object.GetKind() == "ConfigMap" {
			text, _, err := unstructured.NestedString(object.Object, "data", file)
			t.must(err)
			return text
		}
	}
	return ""
}
