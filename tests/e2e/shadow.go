package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// otherWeights are today's rules with one weight changed, so far that it decides.
const otherWeights = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {score: {enabled: [{name: NodeResourcesBalancedAllocation, weight: 100}]}}
`

// shadow: beside a kube-scheduler that looks at all nodes, a Winnow with its rules would do the same with each pod, be it
// alone or of a burst, whose bindings overtake each other. A second one has another weight, and names that rule where it differs.
// Both have manifests/rbac.yaml's right to read, and write nothing.
func shadow(t *T) {
	t.lagging(t.under().lag)
	t.way = ""
	t.must(t.AddNodes(t.Ctx, variedNodes(300)))
	for _, app := range []string{"a", "b"} {
		t.service(app)
	}
	before := t.writes()
	t.apply("rbac.yaml")
	same, other := t.startShadow("same.yaml", today), t.startShadow("other.yaml", otherWeights)
	t.startScheduler(inTree, "")

	const alone, burst = 60, 300
	for i := range alone {
		name := fmt.Sprintf("alone-%02d", i)
		t.add(varied(i, name))
		t.check(t.bound(name, 20*time.Second) != "", "%s is not bound: %s", name, t.history(name))
	}
	t.add(cluster.Pod("huge", cluster.Requests("1000", "1Gi")))
	t.check(t.unscheduled("huge", 20*time.Second) != "", "huge is not refused")
	t.decided(same, alone+1)
	t.note("one after another: %s", t.shares(same))
	t.alike(same, alone+1)

	var pods []*v1.Pod
	for i := range burst {
		pods = append(pods, varied(i, fmt.Sprintf("burst-%03d", i)))
	}
	t.add(pods...)
	cluster.Until(2*time.Minute, func() bool { return t.Watch.Bound() == alone+burst })
	t.decided(same, alone+burst+1)
	t.decided(other, alone+burst+1)
	t.note("with a burst: %s", t.shares(same))
	t.alike(same, alone+burst+1)

	t.note("with another weight: %s", t.shares(other))
	decisive := t.kept(other, "&result=other&rule=NodeResourcesBalancedAllocation")
	t.check(len(decisive) > 0, "the rule with another weight makes no difference: %s", t.shares(other))
	if len(decisive) > 0 {
		t.note("%s", decisive[0].Text)
	}
	code, body, err := bed.PostBy("", same.URL+"/filter", `{"Pod":{"metadata":{"name":"p"}},"NodeNames":["node-0000"]}`)
	t.check(err == nil && code == http.StatusOK && strings.Contains(body, "--shadow"), "filter says %d %q (%v)", code, body, err)
	t.check(t.writes() == before, "a shadow has asked for %d things but to list and watch", t.writes()-before)
}

// startShadow returns when it is ready.
func (t *T) startShadow(name, rules string) *bed.WinnowProcess {
	winnow, err := t.StartWinnow(t.options.winnow, bed.Winnow, 0, "--v", "1", "--shadow", "--config", t.file(name, rules))
	t.must(err)
	t.later(func() { winnow.Stop() })
	t.Winnow = winnow
	t.must(winnow.WaitReady())
	return winnow
}

// writes counts Winnow's requests that do more than read.
func (t *T) writes() (count int) {
	asked, err := t.Audit()
	t.must(err)
	for _, one := range asked {
		if one.Verb != "list" && one.Verb != "watch" {
			count++
		}
	}
	return count
}

func (t *T) result(winnow *bed.WinnowProcess, result string) float64 {
	count, err := bed.Metric(winnow.URL, "winnow_shadow_decisions_total", fmt.Sprintf("result=%q", result))
	t.must(err)
	return count
}

// decided waits until the shadow has decided for so many pods, and checks that it has left out none.
func (t *T) decided(winnow *bed.WinnowProcess, count float64) {
	total := func() float64 {
		sum, err := bed.Metric(winnow.URL, "winnow_shadow_decisions_total")
		t.must(err)
		return sum
	}
	cluster.Until(30*time.Second, func() bool { return total() >= count })
	t.check(total() == count, "%v decisions, expected %v", total(), count)
	undecided, err := bed.Metric(winnow.URL, "winnow_shadow_undecided_total")
	t.check(err == nil && undecided == 0, "%v pods were not decided (%v)", undecided, err)
}

func (t *T) shares(winnow *bed.WinnowProcess) string {
	var parts []string
	for _, result := range []string{"same", "tie", "other", "refused", "nowhere"} {
		parts = append(parts, fmt.Sprintf("%v %s", t.result(winnow, result), result))
	}
	return strings.Join(parts, ", ")
}

// alike: the shadow would have done what kube-scheduler did.
func (t *T) alike(winnow *bed.WinnowProcess, count float64) {
	alike := t.result(winnow, "same") + t.result(winnow, "tie")
	t.check(alike == count, "%v of %v decisions are alike, and these are not:\n%s", alike, count, t.differing(winnow))
}

// keptDecision is a part of what GET /decisions shows of one.
type keptDecision struct{ Pod, Text string }

func (t *T) kept(winnow *bed.WinnowProcess, query string) []keptDecision {
	code, body, err := bed.Get(winnow.URL + "/decisions?verb=shadow&limit=1000" + query)
	t.must(err)
	t.check(code == http.StatusOK, "/decisions is answered %d: %s", code, body)
	var answer struct{ Decisions []keptDecision }
	t.must(json.Unmarshal([]byte(body), &answer))
	return answer.Decisions
}

// differing are the texts of the decisions that are not alike.
func (t *T) differing(winnow *bed.WinnowProcess) string {
	var lines []string
	for _, result := range []string{"other", "refused", "nowhere"} {
		for _, one := range t.kept(winnow, "&result="+result) {
			lines = append(lines, one.Pod+": "+one.Text)
		}
	}
	return strings.Join(lines, "\n")
}
