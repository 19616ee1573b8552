package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/answer"
)

// column is one score plugin's part of the answer, a row for each node that fits.
type column struct {
	plugin framework.ScorePlugin
	raw    []int64
	scores framework.NodeScoreList
}

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
	if len(errs) != 0 {
		if len(feasible) == 1 { // Which is not scored.
			e.Selected = &feasible[0].Name
		} else if e.Error == "" {
			for _, text := range errs {
				e.fail(text)
			}
		}
		return
	}
	best := 0
	for i, node := range feasible {
		total := 0
		for _, c := range columns {
			entry := e.entryOf(c, i)
			total += entry.Score * entry.Weight
			node.Scores = append(node.Scores, entry)
		}
		node.Total = &total
		if total > *feasible[best].Total {
			best = i
		}
	}
	e.Selected = &feasible[best].Name
}

func (e *explanation) entryOf(c *column, row int) answer.Score {
	raw := int(c.raw[row])
	return answer.Score{Rule: c.plugin.Name(), Weight: e.p.weights[c.plugin.Name()], Raw: &raw, Score: int(c.scores[row].Score)}
}

// columns is RunPreScorePlugins and RunScorePlugins of framework/runtime/framework.go, which keep no raw scores apart. What
// fails comes as upstream words it: several errors are those of several nodes or plugins, of which upstream gives any.
func (e *explanation) columns(nodes []*v1.Node) (columns []*column, errs []string) {
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
			c := &column{plugin: plugin, raw: make([]int64, len(nodes)), scores: make(framework.NodeScoreList, len(nodes))}
			columns = append(columns, c)
		}
	}
	for row, node := range nodes {
		if failure := e.rate(columns, row, node); failure != "" {
			errs = append(errs, failure)
		}
	}
	if len(errs) == 0 {
		errs = e.normalize(columns)
	}
	if len(errs) == 0 {
		errs = outOfRange(columns)
	}
	return columns, errs
}

// rate scores one node; its first plugin that fails ends it.
func (e *explanation) rate(columns []*column, row int, node *v1.Node) (failure string) {
	for _, c := range columns {
		score, status := c.plugin.Score(e.s.ctx, e.state, e.pod, node.Name)
		if !status.IsSuccess() {
			return fmt.Sprintf("running Score plugins: plugin %q failed with: %v", c.plugin.Name(), status.AsError())
		}
		c.raw[row], c.scores[row] = score, framework.NodeScore{Name: node.Name, Score: score}
	}
	return ""
}

func (e *explanation) normalize(columns []*column) (errs []string) {
	for _, c := range columns {
		if c.plugin.ScoreExtensions() == nil {
			continue
		}
		status := c.plugin.ScoreExtensions().NormalizeScore(e.s.ctx, e.state, e.pod, c.scores)
		if !status.IsSuccess() {
			errs = append(errs, fmt.Sprintf("running Normalize on Score plugins: plugin %q failed with: %v", c.plugin.Name(),
				status.AsError()))
		}
	}
	return errs
}

// outOfRange: a plugin's first such score ends it; which node is the first hangs on upstream's threads.
func outOfRange(columns []*column) (errs []string) {
	for _, c := range columns {
		for _, node := range c.scores {
			if node.Score > framework.MaxNodeScore || node.Score < framework.MinNodeScore {
				errs = append(errs, fmt.Sprintf("applying score defaultWeights on Score plugins: plugin %q returns an invalid "+
					"score %v, it should in the range of [%v, %v] after normalizing", c.plugin.Name(), node.Score,
					framework.MinNodeScore, framework.MaxNodeScore))
			}
		}
	}
	return errs
}
