package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"winnow.test/oracle/answer"
)

// column is one score plugin's part of the answer, a row for each node that fits.
type column struct {
	plugin  fwk.ScorePlugin
	skipped bool
	raw     []int64
	scores  fwk.NodeScoreList
}

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
			entry.Ambiguous = c.plugin.Name() == "VolumeBinding" && e.isAmbiguousCapacity(infos[i].Node())
			e.Ambiguous = e.Ambiguous || entry.Ambiguous
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
	entry := answer.Score{Rule: c.plugin.Name(), Weight: e.p.weights[c.plugin.Name()], Skipped: c.skipped}
	if !c.skipped {
		raw := int(c.raw[row])
		entry.Raw, entry.Score = &raw, int(c.scores[row].Score)
	}
	return entry
}

// columns is RunPreScorePlugins and RunScorePlugins of framework/runtime/framework.go, which keep no raw scores apart. What
// fails comes as upstream words it: several errors are those of several nodes or plugins, of which upstream gives any.
func (e *explanation) columns(infos []fwk.NodeInfo) (columns []*column, errs []string) {
	if len(e.p.scores) == 0 { // Upstream runs no PreScore either.
		return nil, nil
	}
	skipped, failure := e.preScore(infos)
	if failure != "" {
		return nil, []string{failure}
	}
	for _, plugin := range e.p.scores {
		if rules[plugin.Name()] {
			c := &column{plugin: plugin, skipped: skipped.Has(plugin.Name())}
			c.raw, c.scores = make([]int64, len(infos)), make(fwk.NodeScoreList, len(infos))
			columns = append(columns, c)
		}
	}
	for row, info := range infos {
		if failure := e.rate(columns, row, info); failure != "" {
			errs = append(errs, failure)
		}
	}
	if len(errs) == 0 {
		errs = e.normalize(columns)
	}
	if len(errs) == 0 {
		errs = outOfRange(columns, len(infos))
	}
	return columns, errs
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

// rate scores one node; its first plugin that fails ends it.
func (e *explanation) rate(columns []*column, row int, info fwk.NodeInfo) (failure string) {
	for _, c := range columns {
		if c.skipped {
			continue
		}
		score, status := c.plugin.Score(e.s.ctx, e.state, e.pod, info)
		if !status.IsSuccess() {
			return fmt.Sprintf("running Score plugins: plugin %q failed with: %v", c.plugin.Name(), status.AsError())
		}
		c.raw[row], c.scores[row] = score, fwk.NodeScore{Name: info.Node().Name, Score: score}
	}
	return ""
}

func (e *explanation) normalize(columns []*column) (errs []string) {
	for _, c := range columns {
		if c.skipped || c.plugin.ScoreExtensions() == nil {
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

// outOfRange: a node's first such score ends it.
func outOfRange(columns []*column, rows int) (errs []string) {
	for row := 0; row < rows; row++ {
		for _, c := range columns {
			score := c.scores[row].Score
			if c.skipped || score <= fwk.MaxScore && score >= fwk.MinScore {
				continue
			}
			errs = append(errs, fmt.Sprintf("applying score defaultWeights on Score plugins: plugin %q returns an invalid score %v, "+
				"it should in the range of [%v, %v] after normalizing", c.plugin.Name(), score, fwk.MinScore, fwk.MaxScore))
			break
		}
	}
	return errs
}
