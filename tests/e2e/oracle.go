package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

// oracleToday and oracleClassic: pods are placed one after another, and before each the cluster is written down.
// Upstream's own code (tests/oracle) is then asked about each of these pictures: the node that the pod went to is
// among its best.
func oracleToday(t *T) { t.judge("today", "config.json", todayJSON) }

// oracleNominate: so it is where Winnow nominates, and each pod goes where it is nominated.
func oracleNominate(t *T) {
	oracleToday(t)
	t.whereNominated()
	t.followed(decisions)
}

func oracleClassic(t *T) {
	t.judge("classic", "policy.json", classicJSON, "--feature-gates", "ExactV116=true", "--allow-missing-rules")
}

const todayJSON = `{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
 "profiles": [{"schedulerName": "default-scheduler"}]}`

const classicJSON = `{"apiVersion": "v1", "kind": "Policy",
 "predicates": [{"name": "GeneralPredicates"}, {"name": "PodToleratesNodeTaints"}, {"name": "MatchInterPodAffinity"}],
 "priorities": [
  {"name": "SelectorSpreadPriority", "weight": 2}, {"name": "LeastRequestedPriority", "weight": 1},
  {"name": "BalancedResourceAllocation", "weight": 1}, {"name": "NodeAffinityPriority", "weight": 1},
  {"name": "TaintTolerationPriority", "weight": 1}, {"name": "InterPodAffinityPriority", "weight": 1}]}`

const decisions = 30

func (t *T) judge(program, rulesName, rules string, flags ...string) {
	oracle := filepath.Join(t.options.root, "build/e2e/oracle", program)
	build := exec.Command(filepath.Join(t.options.root, "tests/oracle/build.sh"), program, oracle)
	if text, err := build.CombinedOutput(); err != nil {
		t.must(fmt.Errorf("%v: %s", err, text))
	}
	t.variedCluster()
	t.start(rules, flags...)
	var folders []string
	chosen := map[string]string{}
	for i := range decisions {
		folder := filepath.Join(t.options.folder, t.Story+program, fmt.Sprintf("%03d", i))
		t.must(os.MkdirAll(folder, 0o755))
		name := fmt.Sprintf("pod-%02d", i)
		t.decide(folder, varied(i, name))
		t.must(os.WriteFile(filepath.Join(folder, rulesName), []byte(rules), 0o644))
		chosen[folder] = t.Watch.NodeOf(name)
		folders = append(folders, folder)
	}
	if text, err := exec.Command(oracle, folders...).CombinedOutput(); err != nil {
		t.must(fmt.Errorf("%s: %v: %s", program, err, text))
	}
	among := 0
	for i, folder := range folders {
		best, all := bestOf(t, folder)
		t.check(slices.Contains(best, chosen[folder]),
			"decision %d (%s): %q was chosen, upstream's best are %v", i, folder, chosen[folder], best)
		if len(best) < all {
			among++
		}
	}
	t.note("%d decisions, in %d of them upstream prefers some nodes to others", len(folders), among)
	t.check(among >= decisions/2,
		"the decisions are too easy: all nodes are upstream's best in %d of %d", len(folders)-among, len(folders))
}

// variedCluster: nodes of three sizes in three zones, some with a taint that one had rather avoid, and two services.
func (t *T) variedCluster() {
	t.must(t.AddNodes(t.Ctx, variedNodes(20)))
	for _, app := range []string{"a", "b"} {
		t.service(app)
	}
}

func variedNodes(count int) []*v1.Node {
	nodes := cluster.Nodes(count, 3)
	for i, node := range nodes {
		cluster.Allocatable(fmt.Sprint(4+2*(i%3)), fmt.Sprintf("%dGi", 16+8*(i%4)), "110")(node)
		node.Status.Capacity = node.Status.Allocatable
		cluster.NodeLabelled("disk", []string{"ssd", "hdd"}[i%2])(node)
		if i%5 == 0 {
			cluster.Tainted("old", "", v1.TaintEffectPreferNoSchedule)(node)
		}
	}
	return nodes
}

func varied(i int, name string) *v1.Pod {
	app := []string{"a", "b"}[i%2]
	cpu, memory := fmt.Sprintf("%dm", 100+150*(i%5)), fmt.Sprintf("%dMi", 128<<(i%4))
	edits := []func(*v1.Pod){cluster.Labelled("app", app), cluster.Requests(cpu, memory)}
	switch i % 6 {
	case 0:
		edits = append(edits, cluster.RatherApart("app", app, cluster.Zone))
	case 1:
		edits = append(edits, cluster.Spread("app", app, cluster.Zone, 1, v1.ScheduleAnyway))
	case 2:
		edits = append(edits, cluster.NodeSelector("disk", "ssd"))
	case 3:
		edits = append(edits, cluster.Tolerates("old"))
	case 4:
		edits = append(edits, cluster.RatherApart("app", "a", cluster.Hostname))
	}
	return cluster.Pod(name, edits...)
}

// decide writes down the cluster and the pod, and waits until the pod has a node and Winnow has seen it.
func (t *T) decide(folder string, pod *v1.Pod) {
	t.must(os.WriteFile(filepath.Join(folder, "cluster.json"), []byte(t.dump()), 0o644))
	t.gateOfWay(pod)
	created, err := t.Client.CoreV1().Pods(cluster.Namespace).Create(t.Ctx, pod, meta.CreateOptions{})
	t.must(err)
	created.APIVersion, created.Kind = "v1", "Pod"
	created.ManagedFields = nil
	created.Spec.SchedulingGates = nil // As kube-scheduler tries it.
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{created}})
	t.must(err)
	t.must(os.WriteFile(filepath.Join(folder, "pods.json"), text, 0o644))
	t.check(t.bound(pod.Name, 20*time.Second) != "", "%s is not bound: %s", pod.Name, t.history(pod.Name))
	time.Sleep(50 * time.Millisecond)
}

// bestOf reads upstream's answer: the nodes of the highest total, and how many nodes fit.
func bestOf(t *T, folder string) (best []string, fitting int) {
	file, err := os.Open(filepath.Join(folder, "upstream.json"))
	t.must(err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	lines.Scan()
	var answer struct {
		Pod   string
		Nodes []struct {
			Name  string
			Fits  bool
			Total *int64
		}
	}
	t.must(json.Unmarshal(lines.Bytes(), &answer))
	t.check(strings.HasPrefix(answer.Pod, cluster.Namespace+"/pod-"), "%s has an answer for %q", folder, answer.Pod)
	highest := int64(math.MinInt64)
	for _, node := range answer.Nodes {
		if !node.Fits {
			continue
		}
		fitting++
		total := int64(0)
		if node.Total != nil {
			total = *node.Total
		}
		if total > highest {
			highest, best = total, nil
		}
		if total == highest {
			best = append(best, node.Name)
		}
	}
	return best, fitting
}
