package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// rules: taints, cordons, ports, selectors, affinity, anti-affinity and spreading put pods where kube-scheduler's own
// rules would, and a pod that fits nowhere is told why in upstream's words. 9 nodes, of which 7 are open to all.
func rules(t *T) {
	nodes := cluster.Nodes(9, 3)
	cluster.Tainted("dedicated", "batch", v1.TaintEffectNoSchedule)(nodes[0])
	cluster.NodeLabelled("pool", "batch")(nodes[0])
	nodes[1].Spec.Unschedulable = true
	t.must(t.AddNodes(t.Ctx, nodes))
	t.start(today)
	t.taints()
	t.ports()
	t.apart()
	t.near()
	t.even()
	t.nowhere()
	for _, broken := range cluster.Broken(t.Watch.AllNodes(), t.Watch.All()) {
		t.check(false, "%s", broken)
	}
}

func (t *T) taints() {
	t.add(cluster.Pod("batch", cluster.NodeSelector("pool", "batch"), cluster.Tolerates("dedicated")))
	t.add(cluster.Pods("plain", 14, cluster.Requests("100m", "100Mi"))...)
	t.check(t.bound("batch", 10*time.Second) == "node-0000",
		"the pod that tolerates and selects node-0000 is on %q", t.Watch.NodeOf("batch"))
	for i := range 14 {
		node := t.bound(fmt.Sprintf("plain-%04d", i), 10*time.Second)
		t.check(node != "" && node != "node-0000" && node != "node-0001",
			"a plain pod is on %q: neither tainted nor cordoned nodes are for it", node)
	}
}

func (t *T) ports() {
	t.add(cluster.Pods("port", 7, cluster.HostPort(8080))...)
	on := t.nodesOf("port", 7)
	t.check(len(on) == 7, "7 pods with one host port are on %d nodes: %v", len(on), on)
	t.add(cluster.Pod("port-more", cluster.HostPort(8080)))
	t.message("port-more", "0/9 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, "+
		"7 node(s) didn't have free ports for the requested pod ports.")
}

func (t *T) apart() {
	t.add(cluster.Pods("apart", 7, cluster.Labelled("app", "apart"), cluster.Apart("app", "apart", cluster.Hostname))...)
	on := t.nodesOf("apart", 7)
	t.check(len(on) == 7, "7 pods that must be apart are on %d nodes: %v", len(on), on)
	t.add(cluster.Pod("apart-more", cluster.Labelled("app", "apart"), cluster.Apart("app", "apart", cluster.Hostname)))
	t.message("apart-more", "0/9 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, "+
		"7 node(s) didn't match pod anti-affinity rules.")
}

func (t *T) near() {
	t.add(cluster.Pod("cache", cluster.Labelled("app", "cache"), cluster.NodeSelector(cluster.Zone, "zone-2")))
	t.bound("cache", 10*time.Second)
	t.add(cluster.Pods("near", 6, cluster.Near("app", "cache", cluster.Zone))...)
	for node := range t.nodesOf("near", 6) {
		t.check(t.zone(node) == "zone-2", "a pod that must be near a pod of zone-2 is on %s", node)
	}
}

func (t *T) even() {
	even := []func(*v1.Pod){cluster.Labelled("app", "even"), cluster.Spread("app", "even", cluster.Zone, 1, v1.DoNotSchedule)}
	for i := range 9 { // One after another: what is under test is the rule, not the speed.
		name := fmt.Sprintf("even-%04d", i)
		t.add(cluster.Pod(name, even...))
		t.bound(name, 10*time.Second)
	}
	zones := map[string]int{}
	for i := range 9 {
		zones[t.zone(t.Watch.NodeOf(fmt.Sprintf("even-%04d", i)))]++
	}
	t.check(zones["zone-0"] == 3 && zones["zone-1"] == 3 && zones["zone-2"] == 3,
		"9 pods that must be even over 3 zones are %v", zones)
}

func (t *T) nowhere() {
	t.add(cluster.Pod("huge", cluster.Requests("1000", "1Gi"), cluster.Tolerates("dedicated")))
	t.message("huge", t.inOrder("0/9 nodes are available: 1 node(s) were unschedulable, 8 Insufficient cpu.",
		"0/9 nodes are available: 9 Insufficient cpu."))
	t.add(cluster.Pod("nowhere", cluster.NodeSelector("pool", "none")))
	t.message("nowhere", "0/9 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, "+
		"7 node(s) didn't match Pod's node affinity/selector.")
}

// inOrder gives the second text where kube-scheduler's own NodeResourcesFit speaks before Winnow does.
func (t *T) inOrder(upstream, kept string) string {
	if slices.Contains([]string{"everything", "best", bindingWay}, t.way) {
		return kept
	}
	return upstream
}

// message checks what the pod's condition and event say up to kube-scheduler's word on preemption.
func (t *T) message(pod, want string) {
	message := t.unscheduled(pod, 10*time.Second)
	t.check(beforePreemption(message) == want, "%s is told\n  %s\ninstead of\n  %s", pod, message, want)
	for _, event := range t.events(pod, "FailedScheduling") {
		t.check(beforePreemption(event) == want, "an event of %s says\n  %s\ninstead of\n  %s", pod, event, want)
	}
	t.check(t.Watch.NodeOf(pod) == "", "%s is on %s", pod, t.Watch.NodeOf(pod))
}

func beforePreemption(message string) string {
	text, _, _ := strings.Cut(message, " preemption: ")
	return text
}

// nodesOf waits for PREFIX-0000 … to be bound, and gives their nodes.
func (t *T) nodesOf(prefix string, count int) map[string]int {
	nodes := map[string]int{}
	for i := range count {
		name := fmt.Sprintf("%s-%04d", prefix, i)
		node := t.bound(name, 15*time.Second)
		t.check(node != "", "%s is not bound: %s", name, t.history(name))
		nodes[node]++
	}
	return nodes
}

func (t *T) zone(node string) string {
	found, err := t.Watch.Nodes.Get(node)
	if err != nil {
		return ""
	}
	return found.Labels[cluster.Zone]
}

func labelled(pods []*v1.Pod, key, value string) (found []*v1.Pod) {
	for _, pod := range pods {
		if pod.Labels[key] == value {
			found = append(found, pod)
		}
	}
	return found
}
