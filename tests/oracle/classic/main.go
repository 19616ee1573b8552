// Answers, with upstream's own v1.16.15 code, what `winnow explain -o json` answers: every rule's verdict and
// score for every node, one JSON object for each pod and line.
//
//	classic DIR…     reads DIR/cluster.json, DIR/policy.json and (if there) DIR/pods.json, writes DIR/upstream.json
//
// The wiring is the least that makes upstream's functions run as the scheduler runs them: client-go's own
// listers over indexers, NodeInfos as the scheduler's cache holds them, upstream's metadata producers.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	failed := false
	for _, dir := range os.Args[1:] {
		if err := answer(dir); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", dir, err)
			failed = true
		}
	}
	if failed {
		os.Exit(2)
	}
}

func answer(dir string) error {
	objects, err := readObjects(filepath.Join(dir, "cluster.json"))
	if err != nil {
		return err
	}
	rules, err := readPolicy(filepath.Join(dir, "policy.json"))
	if err != nil {
		return err
	}
	cluster := newCluster(objects)
	asked := cluster.pending
	if path := filepath.Join(dir, "pods.json"); exists(path) {
		further, err := readObjects(path)
		if err != nil {
			return err
		}
		asked = append(asked, further.pods...)
	}
	out, err := os.Create(filepath.Join(dir, "upstream.json"))
	if err != nil {
		return err
	}
	defer out.Close()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, pod := range asked {
		if err := encoder.Encode(explain(cluster, rules, pod)); err != nil {
			return err
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
