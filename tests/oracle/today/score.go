package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"winnow.test/oracle/common/answer"
)

// score fills in the scores, the totals and the selected node.
func (e *explanation) score(feasible []*answer.Node) {
	if len(feasible) == 0 {
		return
	}
	var infos []fwk.NodeInfo
	for _, node := range feasible {
		infos = append(infos, e.s.info(node.Name))
	}
	columns, errs := e.columns(infos)
	e.Select(feasible, columns, errs, func(rule string, row int) bool {
		return rule == "VolumeBinding" && e.isAmbiguousCapacity(infos[row].Node())
	})
}

// columns is RunPreScorePlugins and RunScorePlugins of framework/runtime/framework.go.
func (e *explanation) columns(infos []fwk.NodeInfo) (columns []*answer.Column, errs []string) {
	if len(e.p.scores) == 0 { // Upstream runs no PreScore either.
		return nil, nil
	}
	skipped, failure := e.preScore(infos)
	if failure != "" {
		return nil, []string{failure}
	}
	for _, plugin := range e.p.scores {
		if rules[plugin.Name()] {
			columns = append(columns, e.column(plugin, skipped.Has(plugin.Name()), infos))
		}
	}
	if errs = answer.Rate(columns, len(infos)); len(errs) == 0 {
		errs = outOfRange(columns, len(infos))
	}
	return columns, errs
}

func (e *explanation) column(plugin fwk.ScorePlugin, skipped bool, infos []fwk.NodeInfo) *answer.Column {
	scores := make(fwk.NodeScoreList, len(infos))
	c := &answer.Column{Rule: plugin.Name(), Weight: e.p.weights[plugin.Name()], Skipped: skipped}
	c.Rate = func(row int) (int64, error) {
		score, status := plugin.Score(e.s.ctx, e.state, e.pod, infos[row])
		scores[row] = fwk.NodeScore{Name: infos[row].Node().Name, Score: score}
		return score, status.AsError()
	}
	if extensions := plugin.ScoreExtensions(); extensions != nil {
		c.Normalize = func() error { return extensions.NormalizeScore(e.s.ctx, e.state, e.pod, scores).AsError() }
	}
	c.Score = func(row int) int64 { return scores[row].Score }
	return c
}

func (e *explanation) preScore(infos []fwk.NodeInfo) (skipped sets.Set[string], failure string) {
	skipped = sets.New[string]()
	for _, plugin := range e.p.preScores {
		if !rules[plugin.Name()] {
			continue
		}
		status := plugin.PreScore(e.s.ctx, e.state, e.pod, infos)
		if status.IsSkip() {
			skipped.Insert(plugin.Name())
		} else if !status.IsSuccess() {
			e.Ambiguous = e.Ambiguous || saysMore(func() *fwk.Status { return plugin.PreScore(e.s.ctx, e.state, e.pod, infos) })
			return nil, fmt.Sprintf("running PreScore plugin %q: %v", plugin.Name(), status.AsError())
		}
	}
	e.state.SetSkipScorePlugins(skipped)
	return skipped, ""
}

// outOfRange: a node's first such score ends it.
func outOfRange(columns []*answer.Column, rows int) (errs []string) {
	for row := 0; row < rows; row++ {
		for _, c := range columns {
			if text := c.OutOfRange(row, fwk.MinScore, fwk.MaxScore); text != "" {
				errs = append(errs, text)
				break
			}
		}
	}
	return errs
}
