package answer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
)

// Claim is where a pod's claim is: its volume, or the node that it is promised to.
type Claim struct {
	Volume string `json:"volume"`
	Node   string `json:"node"`
}

// Attempt is one line of winnow-simulate.json: what Winnow has done with a pod. Budgets: what each allowed before.
type Attempt struct {
	Pod     string           `json:"pod"`
	Node    string           `json:"node"`
	Victims []string         `json:"victims"`
	Claims  map[string]Claim `json:"claims"`
	Budgets map[string]int32 `json:"budgets"`
}

// ReadAttempts reads DIR/winnow-simulate.json.
func (d Directory) ReadAttempts() (attempts []Attempt, err error) {
	text, err := os.ReadFile(filepath.Join(string(d), "winnow-simulate.json"))
	if err != nil {
		return nil, err
	}
	in := json.NewDecoder(strings.NewReader(string(text)))
	for in.More() {
		var attempt Attempt
		if err := in.Decode(&attempt); err != nil {
			return nil, fmt.Errorf("winnow-simulate.json: %v", err)
		}
		attempts = append(attempts, attempt)
	}
	return attempts, nil
}

// Choice is what upstream says of a pod in some state: the best of the nodes that fit, or why there is none.
type Choice struct {
	Feasible int      `json:"feasible"`
	Best     []string `json:"best"`
	Total    *int     `json:"total,omitempty"`
	Message  string   `json:"message,omitempty"`
}

// Simulated is one line of upstream-simulate.json: what upstream says in the state that Winnow's attempts before have left.
// Skipped says why nothing is to be compared. Claims: as Winnow has left them, if upstream can leave them so. After: the choice
// when the victims are gone. Turned, Rescored: the rules that say something else than before the first attempt.
type Simulated struct {
	Pod     string `json:"pod"`
	Skipped string `json:"skipped,omitempty"`
	Choice
	Claims     map[string]Claim `json:"claims"`
	Volumes    int              `json:"volumes,omitempty"`  // That the pod has taken.
	Promised   int              `json:"promised,omitempty"` // Claims, to the node.
	Preemption *Preemption      `json:"preemption,omitempty"`
	After      *Choice          `json:"after,omitempty"`
	Turned     []string         `json:"turned,omitempty"`
	Rescored   []string         `json:"rescored,omitempty"`
}

// WriteSimulation makes DIR/upstream-simulate.json.
func (d Directory) WriteSimulation(simulated []*Simulated) error {
	out, err := d.newWriter("upstream-simulate.json")
	if err != nil {
		return err
	}
	for _, one := range simulated {
		if err := out.encoder.Encode(one); err != nil {
			return err
		}
	}
	return out.Close()
}

// ChoiceOf has the nodes of the highest total. Without totals, as where nothing is scored, any that fits will do.
func ChoiceOf(e *Explanation) Choice {
	choice := Choice{Feasible: e.Feasible, Message: e.Error, Best: []string{}}
	if e.Error != "" {
		return choice
	}
	for _, node := range e.Nodes {
		if !node.Fits {
			continue
		}
		if node.Total != nil && (choice.Total == nil || *node.Total > *choice.Total) {
			choice.Total, choice.Best = node.Total, []string{}
		}
		if node.Total == nil || *node.Total == *choice.Total {
			choice.Best = append(choice.Best, node.Name)
		}
	}
	return choice
}

// Compare names the rules whose verdicts or scores, of any node, are not those of before.
func (s *Simulated) Compare(before, now *Explanation) {
	turned, rescored := map[string]bool{}, map[string]bool{}
	for i, node := range now.Nodes {
		if i >= len(before.Nodes) {
			break
		}
		for j, entry := range node.Filters {
			if j < len(before.Nodes[i].Filters) && entry.Fits != before.Nodes[i].Filters[j].Fits {
				turned[entry.Rule] = true
			}
		}
		for j, entry := range node.Scores {
			if j < len(before.Nodes[i].Scores) && !reflect.DeepEqual(entry, before.Nodes[i].Scores[j]) {
				rescored[entry.Rule] = true
			}
		}
	}
	s.Turned, s.Rescored = names(turned), names(rescored)
}

func names(set map[string]bool) (list []string) {
	for name := range set {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}
