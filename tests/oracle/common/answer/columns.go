package answer

import "fmt"

// Column is one score plugin's part of an answer, a row for each node that fits. A skipped one is asked nothing.
type Column struct {
	Rule      string
	Weight    int
	Skipped   bool
	Rate      func(row int) (raw int64, err error)
	Normalize func() error        // nil: the plugin has none.
	Score     func(row int) int64 // As normalized.
	raw       []int64
}

// Rate is RunScorePlugins of framework/runtime/framework.go, which keeps no raw scores apart. What fails comes as upstream
// words it: several errors are those of several nodes or plugins, of which upstream gives any.
func Rate(columns []*Column, rows int) (errs []string) {
	for row := 0; row < rows; row++ {
		if failure := rate(columns, row); failure != "" {
			errs = append(errs, failure)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	for _, c := range columns {
		if c.Skipped || c.Normalize == nil {
			continue
		}
		if err := c.Normalize(); err != nil {
			errs = append(errs, fmt.Sprintf("running Normalize on Score plugins: plugin %q failed with: %v", c.Rule, err))
		}
	}
	return errs
}

// rate scores one node; its first plugin that fails ends it.
func rate(columns []*Column, row int) (failure string) {
	for _, c := range columns {
		if c.Skipped {
			continue
		}
		raw, err := c.Rate(row)
		if err != nil {
			return fmt.Sprintf("running Score plugins: plugin %q failed with: %v", c.Rule, err)
		}
		c.raw = append(c.raw, raw)
	}
	return ""
}

// OutOfRange is upstream's error where a score is none; "" where it is one.
func (c *Column) OutOfRange(row int, least, most int64) string {
	if c.Skipped {
		return ""
	}
	score := c.Score(row)
	if score <= most && score >= least {
		return ""
	}
	return fmt.Sprintf("applying score defaultWeights on Score plugins: plugin %q returns an invalid score %v, "+
		"it should in the range of [%v, %v] after normalizing", c.Rule, score, least, most)
}

func (c *Column) entry(row int) Score {
	entry := Score{Rule: c.Rule, Weight: c.Weight, Skipped: c.Skipped}
	if !c.Skipped {
		raw := int(c.raw[row])
		entry.Raw, entry.Score = &raw, int(c.Score(row))
	}
	return entry
}

// Select fills in the scores, the totals and the selected node. isAmbiguous need not be there.
func (e *Explanation) Select(feasible []*Node, columns []*Column, errs []string, isAmbiguous func(rule string, row int) bool) {
	if len(errs) != 0 {
		if len(feasible) == 1 { // Which is not scored.
			e.Selected = &feasible[0].Name
		} else if e.Error == "" {
			for _, text := range errs {
				e.Fail(text)
			}
		}
		return
	}
	best := 0
	for i, node := range feasible {
		total := 0
		for _, c := range columns {
			entry := c.entry(i)
			entry.Ambiguous = isAmbiguous != nil && isAmbiguous(c.Rule, i)
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
