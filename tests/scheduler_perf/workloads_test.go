package main

import (
	"os"
	"path/filepath"
	"testing"
)

const file = `
- name: Other
  workloads:
  - name: 5Nodes
    params: {initNodes: 5}
- name: Spreading
  workloadTemplate:
  - opcode: createNodes
    countParam: $initNodes
  workloads:
  - name: 5Nodes
    params: {initNodes: 5, initPods: 10, measurePods: 10}
  - name: 5000Nodes
    labels: [integration-test]
    threshold: 460
    params: {initNodes: 5000, initPods: 1001, measurePods: 2000, mode: fast}
`

func read(t *testing.T, name string) workload {
	t.Helper()
	test, err := cut([]byte(file), name)
	if err != nil {
		t.Fatal(err)
	}
	return workload{name: name, test: test}
}

func TestAWorkloadIsCutOutOfItsFile(t *testing.T) {
	for _, row := range []struct {
		name  string
		found bool
	}{
		{"Spreading/5000Nodes", true},
		{"Other/5Nodes", true},
		{"Other/5000Nodes", false},
		{"Spreading", false},
		{"Spread/5Nodes", false},
	} {
		if found := read(t, row.name).test != nil; found != row.found {
			t.Errorf("%s: found is %v", row.name, found)
		}
	}
	w := read(t, "Spreading/5000Nodes")
	its := w.test["workloads"].([]any)
	if len(its) != 1 || its[0].(map[string]any)["threshold"] != nil || its[0].(map[string]any)["labels"].([]any)[0] != "performance" {
		t.Errorf("the workloads are %v", its)
	}
}

func TestAWorkloadIsScaled(t *testing.T) {
	for _, row := range []struct {
		what                              string
		nodes, pods                       int
		wantNodes, wantInit, wantMeasured int
	}{
		{"not at all", 0, 0, 5000, 1001, 2000},
		{"to a tenth, and rounded up", 500, 0, 500, 101, 200},
		{"to fewer pods", 0, 700, 5000, 1001, 700},
		{"to more pods than it has", 0, 9000, 5000, 1001, 2000},
		{"both", 500, 70, 500, 101, 70},
	} {
		w := read(t, "Spreading/5000Nodes")
		w.scale(row.nodes, row.pods)
		if w.param("initNodes") != row.wantNodes || w.param("initPods") != row.wantInit || w.param("measurePods") != row.wantMeasured {
			t.Errorf("%s: %v", row.what, w.params())
		}
		if w.params()["mode"] != "fast" {
			t.Errorf("%s: a word was changed: %v", row.what, w.params())
		}
	}
}

func TestAWorkloadThatIsWrittenIsReadAgain(t *testing.T) {
	benchmark := t.TempDir()
	folder := filepath.Join(benchmark, "spreading")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	w := read(t, "Spreading/5000Nodes")
	for _, configuration := range []string{"scheduler.yaml", ""} {
		if err := w.write(filepath.Join(folder, "performance-config.yaml"), configuration); err != nil {
			t.Fatal(err)
		}
		found, err := findWorkload(benchmark, w.name)
		if err != nil {
			t.Fatal(err)
		}
		path, _ := found.test["schedulerConfigPath"].(string)
		if found.folder != folder || found.param("measurePods") != 2000 || path != configuration {
			t.Errorf("%v", found)
		}
	}
	if _, err := findWorkload(benchmark, "Other/5Nodes"); err == nil {
		t.Error("a workload that is not there was found")
	}
}
