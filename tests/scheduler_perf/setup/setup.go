// Package setup is what the command and the benchmark that it starts, a process for each measurement, tell each other:
// files of JSON.
package setup

import (
	"encoding/json"
	"fmt"
	"os"
)

// Variable of the environment that names the file of the Setup.
const Variable = "WINNOW_SCHEDULER_PERF"

// Setup of one measurement.
type Setup struct {
	Cases       string   // The file of upstream's test cases: one, with one workload.
	Winnow      []string // The command and its arguments, without --kubeconfig and --port; empty: none.
	Port        int      // That it is to listen on.
	Log         string   // Of Winnow.
	Policy      string   // A manifest whose MutatingAdmissionPolicy all pods get; "": none.
	InitPods    int      // Placed before the measurement begins,
	MeasurePods int      // and while it lasts.
	Result      string   // Where the Result goes.
}

// Result is what upstream does not measure: between the pods of which it takes its throughput.
type Result struct {
	Seconds float64
	Pods    float64 // Cycles that found a node.
	Cycle   float64 // Seconds of them all, as kube-scheduler counts.

	Upstream float64 // CPU seconds: API server, kube-scheduler, and who makes the pods are one process.
	Etcd     float64
	Winnow   float64
	Machine  float64 // All that runs on it, these three and others.

	Nominated, Followed float64 // Of the whole run; 0 where Winnow does not nominate.
}

// Write something as JSON.
func Write(path string, what any) error {
	text, err := json.MarshalIndent(what, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// Read it again.
func Read(path string, what any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, what); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
