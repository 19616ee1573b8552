package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
)

// score fills in the scores, the totals and the selected node.
func (e *explanation) score(feasible []*answer.Node) {
	if len(feasible) == 0 {
		return
	}
	var nodes []*v1.Node
	for _, node := range feasible {
		nodes = append(nodes, e.s.info(node.Name).Node())
	}
	columns, errs := e.columns(nodes)
	e.Select(feasible, columns, errs, nil)
}

// columns is RunPreScorePlugins and RunScorePlugins of framework/runtime/framework.go.
func (e *explanation) columns(nodes []*v1.Node) (columns []*answer.Column, errs []string) {
	if !e.p.framework.HasScorePlugins() { // Upstream runs no PreScore either.
		return nil, nil
	}
	for _, plugin := range e.p.preScores {
		if status := plugin.PreScore(e.s.ctx, e.state, e.pod, nodes); !status.IsSuccess() {
			return nil, []string{fmt.Sprintf("running PreScore plugin %q: %v", plugin.Name(), status.AsError())}
		}
	}
	for _, plugin := range e.p.scores {
		if rules[plugin.Name()] {
			columns = append(columns, e.column(plugin, nodes))
		}
	}
	if errs = answer.Rate(columns, len(nodes)); len(errs) == 0 {
		errs = outOfRange(columns, len(nodes))
	}
	return columns, errs
}

func (e *explanation) column(plugin framework.ScorePlugin, nodes []*v1.Node) *answer.Column {
	scores := make(framework.NodeScoreList, len(nodes))
	c := &answer.Column{Rule: plugin.Name(), Weight: e.p.weights[plugin.Name()]}
	c.Rate = func(row int) (int64, error) {
		score, status := plugin.Score(e.s.ctx, e.state, e.pod, nodes[row].Name)
		scores[row] = framework.NodeScore{Name: nodes[row].Name, Score: score}
		return score, status.AsError()
	}
	if extensions := plugin.ScoreExtensions(); extensions != nil {
		c.Normalize = func() error { return extensions.NormalizeScore(e.s.ctx, e.state, e.pod, scores).AsError() }
	}
	c.Score = func(row int) int64 { return scores[row].Score }
	return c
}

// outOfRange: a plugin's first such score ends it; which node is the first hangs on upstream's threads.
func outOfRange(columns []*answer.Column, rows int) (errs []string) {
	for _, c := range columns {
		for row := 0; row < rows; row++ {
			if text := c.OutOfRange(row, framework.MinNodeScore, framework.MaxNodeScore); text != "" {
				errs = append(errs, text)
			}
		}
	}
	return errs
}
