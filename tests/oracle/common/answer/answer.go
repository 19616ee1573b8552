// Package answer is what the oracle programs share, whatever release of upstream they link: the answer's form, the
// one of `winnow explain -o json`, and the files of a directory. It imports nothing of Kubernetes.
package answer

// Filter is what one predicate, or filter plugin, says about one node.
type Filter struct {
	Rule       string   `json:"rule"`
	Fits       bool     `json:"fits"`
	Skipped    bool     `json:"skipped,omitempty"`
	Resolvable *bool    `json:"resolvable,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
	Error      string   `json:"error,omitempty"`
	Ambiguous  bool     `json:"ambiguous,omitempty"`
}

// Score is what one priority, or score plugin, says about one node.
type Score struct {
	Rule      string `json:"rule"`
	Skipped   bool   `json:"skipped,omitempty"`
	Raw       *int   `json:"raw,omitempty"` // What map gave; nil where upstream has no map.
	Score     int    `json:"score"`
	Weight    int    `json:"weight"`
	Ambiguous bool   `json:"ambiguous,omitempty"`
}

// Node is one node's answer. Decides: the rule whose failure of it upstream tells, where that is not simply the first.
type Node struct {
	Name    string        `json:"name"`
	Fits    bool          `json:"fits"`
	Decides string        `json:"decides,omitempty"`
	Filters []Filter      `json:"filters"`
	Scores  []Score       `json:"scores,omitempty"`
	Total   *int          `json:"total,omitempty"`
	Devices []DeviceClaim `json:"devices,omitempty"` // What the rule of devices takes there for the pod.
}

// Explanation is one pod's line. Ambiguous: some entry is, so whatever follows from it is one of several answers
// that upstream could give.
type Explanation struct {
	Pod       string  `json:"pod"`
	Feasible  int     `json:"feasible"`
	Selected  *string `json:"selected"`
	Error     string  `json:"error,omitempty"`
	Panic     string  `json:"panic,omitempty"`
	Ambiguous bool    `json:"ambiguous,omitempty"`
	Nodes     []*Node `json:"nodes"`
}

// Node returns the one of this name; nil if there is none.
func (e *Explanation) Node(name string) *Node {
	for _, node := range e.Nodes {
		if node.Name == name {
			return node
		}
	}
	return nil
}

// IsAmbiguousBy: is some verdict of this rule ambiguous?
func (e *Explanation) IsAmbiguousBy(rule string) bool {
	for _, node := range e.Nodes {
		for _, entry := range node.Filters {
			if entry.Ambiguous && entry.Rule == rule {
				return true
			}
		}
	}
	return false
}

// Failed names the rules that refuse the node.
func (n *Node) Failed() (rules []string) {
	for _, entry := range n.Filters {
		if !entry.Fits {
			rules = append(rules, entry.Rule)
		}
	}
	return rules
}

// Refusal is the first of its rules' that refuses the node; nil where it fits.
func (n *Node) Refusal() *Filter {
	for i := range n.Filters {
		if !n.Filters[i].Fits {
			return &n.Filters[i]
		}
	}
	return nil
}

// Fail keeps the first of several errors: of those of several nodes upstream gives any.
func (e *Explanation) Fail(text string) {
	e.Ambiguous = e.Ambiguous || e.Error != "" && e.Error != text
	if e.Error == "" {
		e.Error = text
	}
}

// End drops what an error leaves without meaning.
func (e *Explanation) End() {
	if e.Error != "" {
		e.Feasible = 0
		e.Selected = nil
	}
}
