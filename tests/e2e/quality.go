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
	rated     int     // Pods whose node is not the best one, and whose totals are known.
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
	t.note("%s", measure.Head([]string{"way"}, []string{"pods", "on the best node, %", "others rated", "nominated, %", "mean total, best = 100", "in-tree, sampled = 100"}))
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

// rateNodes reads what the shadow has counted. Of a pod that is not on the best node its decision has both totals, unless the
// best is its nominated node, which is not scored.
func (t *T) rateNodes(shadow *bed.WinnowProcess) (row qualityRow) {
	for _, result := range []string{"same", "tie"} {
		pods, err := bed.Metric(shadow.URL, "winnow_shadow_decisions_total", `result="`+result+`"`)
		t.must(err)
		row.best += int(pods)
	}
	for i := range qualityAlone {
		row.countNominated(t, fmt.Sprintf("alone-%03d", i))
	}
	for i := range qualityBurst {
		row.countNominated(t, fmt.Sprintf("burst-%03d", i))
	}
	code, body, err := bed.Get(shadow.URL + "/decisions?verb=shadow&result=other&limit=1000")
	t.must(err)
	t.check(code == http.StatusOK, "/decisions is answered %d: %s", code, body)
	var answer struct {
		Decisions []struct {
			BoundTo string
			Best    []struct {
				Node  string
				Total float64
			}
		}
	}
	t.must(json.Unmarshal([]byte(body), &answer))
	sum, elsewhere := 0.0, 0
	for _, one := range answer.Decisions {
		for _, there := range one.Best {
			if there.Node == one.BoundTo && there.Total < one.Best[0].Total {
				sum, elsewhere = sum+there.Total/one.Best[0].Total, elsewhere+1
			}
		}
	}
	// The log keeps the last decisions only, so their mean stands for all pods that are elsewhere.
	if elsewhere > 0 {
		others := float64(qualityAlone + qualityBurst - row.best)
		row.total = (float64(row.best) + others*sum/float64(elsewhere)) / (qualityAlone + qualityBurst)
	} else {
		row.total = 1
	}
	row.rated = elsewhere
	t.check(row.best+elsewhere >= (qualityAlone+qualityBurst)/2, "%d pods are on the best node, and only %d others have both totals", row.best, elsewhere)
	return row
}

func (row *qualityRow) countNominated(t *T, pod string) {
	if t.Watch.NominatedFor(pod) != "" {
		row.nominated++
	}
}
