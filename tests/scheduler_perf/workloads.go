package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// workload is one of upstream's: of a test case of one of its files.
type workload struct {
	name   string // CASE/WORKLOAD
	folder string // Of the file: its paths begin there.
	test   map[string]any
}

// findWorkload in the folders of upstream's benchmark.
func findWorkload(benchmark, name string) (workload, error) {
	files, err := filepath.Glob(filepath.Join(benchmark, "*", "performance-config.yaml"))
	if err != nil || len(files) == 0 {
		return workload{}, fmt.Errorf("%s: no folder has a performance-config.yaml: %v", benchmark, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return workload{}, err
		}
		test, err := cut(text, name)
		if err != nil {
			return workload{}, fmt.Errorf("%s: %w", file, err)
		}
		if test != nil {
			return workload{name, filepath.Dir(file), test}, nil
		}
	}
	return workload{}, fmt.Errorf("no file of %s has the workload %s", benchmark, name)
}

// cut the test case CASE/WORKLOAD out of a file, with that workload alone; nil: the file does not have it. What upstream
// expects of its own machines goes: here it would only fail.
func cut(text []byte, name string) (map[string]any, error) {
	var tests []map[string]any
	if err := yaml.Unmarshal(text, &tests); err != nil {
		return nil, err
	}
	of, which, _ := strings.Cut(name, "/")
	for _, test := range tests {
		if test["name"] != of {
			continue
		}
		workloads, _ := test["workloads"].([]any)
		for _, w := range workloads {
			if its, ok := w.(map[string]any); ok && its["name"] == which {
				delete(its, "threshold")
				its["labels"] = []any{"performance"}
				test["workloads"] = []any{its}
				return test, nil
			}
		}
	}
	return nil, nil
}

func (w workload) params() map[string]any {
	params, _ := w.test["workloads"].([]any)[0].(map[string]any)["params"].(map[string]any)
	return params
}

// param is a number of the workload's, 0 if it has none of that name.
func (w workload) param(name string) int {
	value, _ := w.params()[name].(float64)
	return int(value)
}

// scale to that many nodes: all numbers in proportion. 0 leaves it as it is. At most so many pods are then measured; 0 is
// no limit.
func (w workload) scale(nodes, pods int) {
	if all := w.param("initNodes"); nodes > 0 && all > 0 {
		for name, value := range w.params() {
			if number, ok := value.(float64); ok {
				w.params()[name] = math.Ceil(number * float64(nodes) / float64(all))
			}
		}
	}
	if pods > 0 && w.param("measurePods") > pods {
		w.params()["measurePods"] = float64(pods)
	}
}

// write it as a file of upstream's, with that configuration of kube-scheduler; "": upstream's.
func (w workload) write(path, configuration string) error {
	if configuration != "" {
		w.test["schedulerConfigPath"] = configuration
	} else {
		delete(w.test, "schedulerConfigPath")
	}
	text, err := yaml.Marshal([]any{w.test})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
