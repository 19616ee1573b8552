package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// extenders is k8s.io/kubernetes/test/integration/scheduler/extender with three Winnows: the first is sent whole
// nodes, the second binds and has an extended resource that kube-scheduler ignores, the third is sent names; they let
// machines 1 to 3, then 2, 3 and 5, then 1 to 3 through, and like machine 2, 3 and 2 with weights 3, 4 and 10. The
// pod asks for the resource, which no machine has, and must go to machine 2.
func extenders(t *T) {
	t.way = bindingWay // For the right to bind.
	t.grant()
	t.must(t.AddNodes(t.Ctx, t.machines()))
	var urls []any
	for i, rules := range []string{liking("1-2-3", "2", 1), liking("2-3-5", "3", 1), liking("1-2-3", "2", 5)} {
		flags := []string{"--config", t.file(fmt.Sprintf("rules-%d.yaml", i), rules)}
		if i == 1 {
			flags = append(flags, "--enable-bind")
		}
		winnow, err := t.StartWinnow(t.options.winnow, bed.Winnow, 0, flags...)
		t.must(err)
		t.later(func() { winnow.Stop() })
		t.must(winnow.WaitReady())
		urls = append(urls, winnow.URL)
		t.Winnow = winnow
	}
	t.startScheduler(fmt.Sprintf(threeExtenders, urls...), "")
	t.add(cluster.Pod("extender-test-pod", func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Limits = v1.ResourceList{"foo.com/bar": resource.MustParse("1")}
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{"foo.com/bar": resource.MustParse("1")}
	}))
	node := t.bound("extender-test-pod", 20*time.Second)
	t.check(node == "machine2", "the pod is on %q: %s", node, t.history("extender-test-pod"))
	for i, url := range urls {
		for _, verb := range []string{"filter", "prioritize"} {
			calls, err := bed.Metric(url.(string), "winnow_requests_total", verb)
			t.check(err == nil && calls == 1, "winnow %d has had %v calls of %s (%v)", i, calls, verb, err)
		}
	}
	binds, err := bed.Metric(urls[1].(string), "winnow_binds_total")
	t.check(err == nil && binds == 1, "the second winnow has bound %v pods (%v)", binds, err)
}

func (t *T) machines() (nodes []*v1.Node) {
	for i := 1; i <= 5; i++ {
		node := cluster.Node(fmt.Sprintf("machine%d", i), "", cluster.NodeLabelled(fmt.Sprintf("is-%d", i), ""))
		if i <= 3 {
			cluster.NodeLabelled("1-2-3", "")(node)
		}
		if i == 2 || i == 3 || i == 5 {
			cluster.NodeLabelled("2-3-5", "")(node)
		}
		nodes = append(nodes, node)
	}
	return nodes
}

func liking(among, machine string, weight int) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Policy
predicates: [{name: Among, argument: {labelsPresence: {labels: ["%s"], presence: true}}}]
priorities: [{name: Likes, weight: %d, argument: {labelPreference: {label: is-%s, presence: true}}}]
`, among, weight, machine)
}

const threeExtenders = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: "%s", filterVerb: filter, prioritizeVerb: prioritize, weight: 3}
- urlPrefix: "%s"
  filterVerb: filter
  prioritizeVerb: prioritize
  bindVerb: bind
  weight: 4
  nodeCacheCapable: false
  managedResources: [{name: foo.com/bar, ignoredByScheduler: true}]
- {urlPrefix: "%s", filterVerb: filter, prioritizeVerb: prioritize, weight: 10, nodeCacheCapable: true}
profiles: [{schedulerName: default-scheduler}]
`
