package answer

// Freed is a node that has room for a pod without the victims. Turned: the rules that refuse the node with all its pods.
type Freed struct {
	Name       string   `json:"name"`
	Victims    []string `json:"victims"`
	Violations int      `json:"violations"`
	Turned     []string `json:"turned,omitempty"`
}

// Preemption is one pod's line: all nodes that evictions free, and of these the ones that upstream may choose. Skipped says
// why nothing is to be compared.
type Preemption struct {
	Pod     string   `json:"pod"`
	Skipped string   `json:"skipped,omitempty"`
	Fits    bool     `json:"fits,omitempty"` // Without any eviction: nothing else is told then.
	Message string   `json:"message,omitempty"`
	Nodes   []*Freed `json:"nodes"`
	Best    []string `json:"best"`
}

// Drawn is the names among which a choice is drawn, found by asking for it again and again. Go begins a small map seven
// times of eight with what was put in first, and a choice takes the first or the last of equals: both orders are tried.
func Drawn(names []string, choose func(among []string) string) (best []string) {
	if len(names) == 0 {
		return nil
	}
	first := choose(names)
	for _, name := range names {
		for try := 0; name != first && try < 24; try++ {
			if choose([]string{name, first}) == name || choose([]string{first, name}) == name {
				best = append(best, name)
				break
			}
		}
		if name == first {
			best = append(best, name)
		}
	}
	return best
}

// SeveralAnswers is why nothing is to be compared of what follows from an ambiguous explanation, or from none.
const SeveralAnswers = "what upstream says of this pod is one of several answers"

// NoOrder is why nothing is to be compared of what is drawn from a sort.
const NoOrder = "more equally important pods on a node than a sort keeps in order"
