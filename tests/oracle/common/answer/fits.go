package answer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Fits names, for each pod that is asked about, the nodes that fit it by the rules of all generations; none for a pod
// behind the end. Nil: each generation's own rules say.
type Fits [][]string

// ReadFits returns nil where DIR/fits.json is missing.
func (d Directory) ReadFits() (Fits, error) {
	path := filepath.Join(string(d), "fits.json")
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var fits Fits
	if err := json.Unmarshal(text, &fits); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	return fits, nil
}

// Keep returns those of the nodes that fit the pod of this number.
func (f Fits) Keep(pod int, nodes []*Node) (kept []*Node) {
	if f == nil {
		return nodes
	}
	if pod >= len(f) {
		return nil
	}
	for _, node := range nodes {
		for _, name := range f[pod] {
			if name == node.Name {
				kept = append(kept, node)
			}
		}
	}
	return kept
}
