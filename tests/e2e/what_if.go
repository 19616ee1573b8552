package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// simulated is what `winnow simulate -o json` prints, as far as it is looked at.
type simulated struct {
	Placed, Nowhere, Blocked, NotRemade, Evictions int
	Pods                                           []struct{ Pod, Result, Node, From, Message string }
}

// compared is the same of `winnow compare -o json`.
type compared struct {
	Same, Differ, Untried int
	Pods                  []struct {
		Pod, Now string
		Differs  bool
		A, B     struct{ Result, Node string }
	}
}

// whatIf: `winnow simulate` and `winnow compare` read a live cluster, by classic rules, by today's and by both, also while pods come.
// They say of each pod what the cluster has, and write nothing.
func whatIf(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(4, 2, cluster.Allocatable("4", "8Gi", "110"))))
	nodes := []string{"node-0000", "node-0001", "node-0002", "node-0003"}
	for i := range 6 {
		t.add(cluster.Pod(fmt.Sprintf("runs-%d", i), cluster.Requests("500m", "256Mi"), cluster.On(nodes[i%3])))
	}
	t.add(cluster.Pod("small", cluster.Requests("1", "1Gi")), cluster.Pod("huge", cluster.Requests("64", "1Gi")))
	if !t.check(cluster.Until(5*time.Second, func() bool { return len(t.Watch.All()) == 8 }), "the pods are not there") {
		return
	}
	before := t.versions()
	rules := t.file("what-if.yaml", today)
	for _, config := range [][]string{{"--config", "classic"}, {"--config", rules}} {
		t.simulatesLive(config)
	}
	t.comparesLive(rules)
	t.check(slices.Equal(before, t.versions()), "pods were written: before %v, after %v", before, t.versions())
	t.comparesWhilePodsCome(rules)
}

func (t *T) simulatesLive(config []string) {
	var pending simulated
	t.asks(&pending, 1, "simulate", config...)
	t.check(pending.Placed == 1 && pending.Nowhere == 1, "of the two that wait: %+v", pending)
	for _, pod := range pending.Pods {
		if strings.HasSuffix(pod.Pod, "/huge") {
			t.check(strings.HasPrefix(pod.Message, "0/4 nodes are available: "), "of huge it says %q", pod.Message)
		}
	}
	var drained simulated
	t.asks(&drained, 0, "simulate", append([]string{"--drain", "node-0001"}, config...)...)
	t.check(drained.Evictions == 2 && drained.NotRemade == 2, "two pods without a controller leave: %+v", drained)
	for _, pod := range drained.Pods {
		name := pod.Pod[strings.Index(pod.Pod, "/")+1:]
		t.check(pod.From == "node-0001" && t.Watch.NodeOf(name) == "node-0001", "it is drained of %+v", pod)
	}
}

func (t *T) comparesLive(rules string) {
	var waiting compared
	t.asks(&waiting, -1, "compare", "--config", "classic", "--with", rules)
	t.check(waiting.Same+waiting.Differ == 2 && waiting.Untried == 0, "the two that wait: %+v", waiting)
	for _, pod := range waiting.Pods {
		expected := "placed"
		if strings.HasSuffix(pod.Pod, "/huge") {
			expected = "nowhere"
		}
		t.check(pod.A.Result == expected && pod.B.Result == expected, "%+v", pod)
	}
	t.comparesPlaced(rules, 6)
	var same compared
	t.asks(&same, 0, "compare", "--config", rules, "--with", rules, "--placed")
	t.check(same.Same == 6 && same.Differ == 0, "of rules with themselves: %+v", same)
}

// comparesPlaced: two pictures are read, as classic rules and today's read the cluster in two ways.
func (t *T) comparesPlaced(rules string, atLeast int) {
	var placed compared
	t.asks(&placed, -1, "compare", "--config", "classic", "--with", rules, "--placed")
	t.check(len(placed.Pods) >= atLeast && placed.Same+placed.Differ == len(placed.Pods), "pods that run: %+v", placed)
	for _, pod := range placed.Pods {
		name := pod.Pod[strings.Index(pod.Pod, "/")+1:]
		isThere := func() bool { return pod.Now == t.Watch.NodeOf(name) } // This watch may be behind Winnow's.
		t.check(cluster.Until(5*time.Second, isThere), "%s is on %s: %+v", name, t.Watch.NodeOf(name), pod)
		t.check(pod.Differs == (pod.A != pod.B), "%+v", pod)
	}
}

func (t *T) comparesWhilePodsCome(rules string) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			pod := cluster.Pod(fmt.Sprintf("comes-%d", i), cluster.Requests("10m", "8Mi"), cluster.On("node-0003"))
			_ = t.AddPods(t.Ctx, []*v1.Pod{pod}) // Where one fails, another comes.
		}
	}()
	for range 3 {
		t.comparesPlaced(rules, 6)
	}
	close(stop)
	<-stopped
}

// asks runs a command as somebody who may read everything. @param code: -1: 0 or 1, as the answer says itself whether pods differ.
func (t *T) asks(answer any, code int, command string, arguments ...string) {
	kubeconfig, err := t.Kubeconfig(bed.Admin, t.Balancer.URL)
	t.must(err)
	out, errors, exit := t.runCommand(slices.Concat([]string{command, "--kubeconfig", kubeconfig, "-o", "json"}, arguments)...)
	expected := exit == code || code == -1 && (exit == 0 || exit == 1)
	if t.check(expected, "winnow %s %v ends with %d, expected %d:\n%s", command, arguments, exit, code, errors) {
		t.must(json.Unmarshal([]byte(out), answer))
	}
}

// versions are the pods with their resource versions.
func (t *T) versions() (versions []string) {
	for _, pod := range t.Watch.All() {
		versions = append(versions, pod.Name+" "+pod.ResourceVersion)
	}
	slices.Sort(versions)
	return versions
}
