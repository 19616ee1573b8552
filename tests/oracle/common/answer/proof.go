package answer

import "fmt"

// Proof holds an explanation against what upstream's own method of this name says, which looks at all nodes and scores all
// that fit.
type Proof struct {
	*Explanation
	Method string
}

// Unproven is an error of the method.
func (p Proof) Unproven(format string, arguments ...interface{}) error {
	return fmt.Errorf(p.Method+" "+format, arguments...)
}

// Error: the method fails with err, by its own words because no node fits, where unfit.
func (p Proof) Error(err error, unfit bool) error {
	if err == nil || unfit {
		return p.Unproven("does not fail with %q: %v", p.Explanation.Error, err)
	}
	if err.Error() != p.Explanation.Error && !p.Ambiguous { // Which error may be one of several.
		return p.Unproven("fails with %q, not %q", err, p.Explanation.Error)
	}
	return nil
}

// NoNodes: the method knows none.
func (p Proof) NoNodes() error {
	if len(p.Nodes) != 0 {
		return p.Unproven("knows no nodes, here are %d", len(p.Nodes))
	}
	return nil
}

// NoneOf: no node fits by the method, which knows so many.
func (p Proof) NoneOf(all int) error {
	if p.Feasible != 0 || all != len(p.Nodes) {
		return p.Unproven("finds none of %d nodes, here %d of %d fit", all, p.Feasible, len(p.Nodes))
	}
	return nil
}

// Choice: the method finds so many nodes, and chooses one; of these so many fit here, as far as the method looks. exact: the
// totals are no ones of several.
func (p Proof) Choice(found, fit int, chosen string, exact bool) error {
	if found != fit {
		return p.Unproven("finds %d nodes, here %d of %d fit", found, p.Feasible, len(p.Nodes))
	}
	node, best := p.Node(chosen), p.Node(*p.Selected)
	if node == nil || !node.Fits {
		return p.Unproven("chooses %s, which does not fit", chosen)
	}
	if fit > 1 && exact && *node.Total != *best.Total {
		return p.Unproven("chooses %s, which is not among the best", chosen)
	}
	return nil
}
