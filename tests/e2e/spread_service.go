package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

// selectorSpread is what people ask back: pods of one Service over nodes (a third) and zones (two thirds).
const selectorSpread = `
apiVersion: v1
kind: Policy
priorities:
- {name: SelectorSpreadPriority, weight: 1}
`

// spreadService: 1,000 pods of a Service at full speed on 100 nodes in 3 zones. The rule's scores are whole numbers
// from 0 to 10, so zones stay within what one point of them is worth: a tenth of the fullest zone, over two thirds.
func spreadService(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(100, 3, cluster.Allocatable("32", "64Gi", "110"))))
	t.service("web")
	t.start(selectorSpread, "--allow-missing-rules")
	t.add(cluster.Pods("web", 1000, cluster.Labelled("app", "web"), cluster.Requests("100m", "100Mi"))...)
	t.allBound(1000, 60*time.Second)
	t.wellSpread(t.Watch.All())
}

// wellSpread: these 1,000 pods are on 100 nodes and 3 zones as SelectorSpread wants them.
func (t *T) wellSpread(pods []*v1.Pod) {
	nodes, zones := map[string]int{}, map[string]int{}
	for _, pod := range pods {
		nodes[pod.Spec.NodeName]++
		zones[t.zone(pod.Spec.NodeName)]++
	}
	least, most := extremes(nodes)
	leastZone, mostZone := extremes(zones)
	t.note("zones %d to %d pods, nodes %d to %d", leastZone, mostZone, least, most)
	t.check(len(zones) == 3 && mostZone-leastZone <= mostZone*3/20, "pods by zone: %v", zones)
	t.check(len(nodes) == 100 && most <= 20,
		"%d nodes of 100 have pods, at most %d: %s", len(nodes), most, fmt.Sprint(nodes))
}

func extremes(counts map[string]int) (least, most int) {
	least = -1
	for _, count := range counts {
		if least < 0 || count < least {
			least = count
		}
		most = max(most, count)
	}
	return least, most
}

// service selects the pods of an application.
func (t *T) service(app string) {
	service := &v1.Service{ObjectMeta: meta.ObjectMeta{Name: app}, Spec: v1.ServiceSpec{
		Selector: map[string]string{"app": app}, Ports: []v1.ServicePort{{Port: 80}}}}
	_, err := t.Client.CoreV1().Services(cluster.Namespace).Create(t.Ctx, service, meta.CreateOptions{})
	t.must(err)
}
