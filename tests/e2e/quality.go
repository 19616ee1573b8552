package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/measure"
)

const (
	qualityNodes = 1000
	qualityAlone = 50  // Pods that come one after another.
	qualityBurst = 400 // Pods that come at once, and wait in the queue.
)

// qualityRows are kept to the end of the run: the ratios are to kube-scheduler alone with its default sample.
var qualityRows []qualityRow

type qualityRow struct {
	way       string
	best      int     // Pods whose node no other one was better than.
	total     float64 // The mean total of the nodes, the best node's being 1.
	rated     int     // Pods whose totals are known.
	nominated int
}

// quality measures how good the nodes are that pods get: a shadow, which looks at all nodes, says what the best total was and
// what the total of the pod's node. Where Winnow nominates, some pods go to the best of all nodes and others to the best of
// the sample.
func quality(t *T) {
	way := t.way
	t.must(t.AddNodes(t.Ctx, variedNodes(qualityNodes)))
	for _, app := range []string{"a", "b"} {
		t.service(app)
	}
	t.apply("rbac.yaml")
	t.way = ""
	shadow := t.startShadow("shadow.yaml", today)
	t.way = way
	t.startMeasured()
	for i := range qualityAlone {
		name := fmt.Sprintf("alone-%03d", i)
		t.add(varied(i, name))
		t.bound(name, 20*time.Second)
	}
	var burst []*v1.Pod
	for i := range qualityBurst {
		burst = append(burst, varied(i, fmt.Sprintf("burst-%03d", i)))
	}
	for _, pod := range burst {
		t.gateOfWay(pod)
	}
	t.add(burst...)
	const all = qualityAlone + qualityBurst
	t.allBound(all, 3*time.Minute)
	cluster.Until(time.Minute, func() bool { return t.decisions(shadow) >= all })
	row := t.rateNodes(shadow)
	row.way = way
	qualityRows = append(qualityRows, row)
	t.note("%s", measure.Head([]string{"way"}, []string{"pods", "on the best node, %", "rated", "nominated, %", "mean total, best = 100", "in-tree, sampled = 100"}))
	for _, one := range qualityRows {
		t.note("%s", measure.Row(one.way, fmt.Sprint(all), share(one.best, all), fmt.Sprint(one.rated), share(one.nominated, all),
			fmt.Sprintf("%.2f", 100*one.total), fmt.Sprintf("%.2f", 100*one.total/qualityRows[0].total)))
	}
}

func share(part, all int) string { return fmt.Sprintf("%.0f", 100*float64(part)/float64(all)) }

func (t *T) decisions(shadow *bed.WinnowProcess) float64 {
	sum, err := bed.Metric(shadow.URL, "winnow_shadow_decisions_total")
	t.must(err)
	return sum
}

// rateNodes reads the shadow's decision of each pod. A pod that went elsewhere than to its nominated node has no totals: a
// nominated node is not scored.
func (t *T) rateNodes(shadow *bed.WinnowProcess) (row qualityRow) {
	const all = qualityAlone + qualityBurst
	known, sum := 0, 0.0
	for i := range all {
		name := fmt.Sprintf("alone-%03d", i)
		if i >= qualityAlone {
			name = fmt.Sprintf("burst-%03d", i-qualityAlone)
		}
		if t.Watch.NominatedFor(name) != "" {
			row.nominated++
		}
		decision, found := t.decisionOf(shadow, name)
		if !found {
			continue
		}
		known++
		switch decision.Result {
		case "same", "tie":
			row.best++
			row.rated, sum = row.rated+1, sum+1
		case "other":
			for _, there := range decision.Best {
				if there.Node == decision.BoundTo && there.Total > 0 {
					row.rated, sum = row.rated+1, sum+there.Total/decision.Best[0].Total
				}
			}
		}
	}
	t.check(known >= all*9/10, "the shadow has told of %d of %d pods", known, all)
	t.check(row.rated > 0, "no pod has totals")
	row.total = sum / float64(max(1, row.rated))
	return row
}

type shadowDecision struct {
	Result, BoundTo string
	Best            []struct {
		Node  string
		Total float64
	}
}

func (t *T) decisionOf(shadow *bed.WinnowProcess, pod string) (shadowDecision, bool) {
	code, body, err := bed.Get(shadow.URL + "/decisions?verb=shadow&pod=" + cluster.Namespace + "/" + pod)
	t.must(err)
	t.check(code == http.StatusOK, "/decisions is answered %d: %s", code, body)
	var answer struct{ Decisions []shadowDecision }
	t.must(json.Unmarshal([]byte(body), &answer))
	if len(answer.Decisions) == 0 {
		return shadowDecision{}, false
	}
	return answer.Decisions[0], true
}
