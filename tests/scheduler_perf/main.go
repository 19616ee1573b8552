// Runs upstream's own benchmark of kube-scheduler, test/integration/scheduler_perf of k8s.io/kubernetes, with kube-scheduler
// alone and with Winnow beside it, in turn, and prints the ratios. run.sh calls it.
//
//	upstream/    the benchmark: upstream's package, with a hook that starts Winnow; a process for each measurement
//	setup/       what this command and that process tell each other
//	workloads.go upstream's workloads, cut out of its files
//	ways.go      how kube-scheduler works with Winnow
//	results.go   figures, ratios and medians
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"winnow.test/scheduler_perf/setup"
)

// Those of upstream's continuous benchmark, with 5,000 nodes.
const standard = "SchedulingBasic/5000Nodes_10000Pods,SchedulingNodeAffinity/5000Nodes_10000Pods," +
	"SchedulingPodAntiAffinity/5000Nodes_2000Pods,TopologySpreading/5000Nodes_5000Pods," +
	"PreferredTopologySpreading/5000Nodes_5000Pods,SchedulingWithMixedChurn/5000Nodes_10000Pods"

type options struct {
	root, kubernetes, benchmark, folder, winnow string
	nodes, pods                                 int
	profile                                     bool
}

func main() {
	o := options{}
	flag.StringVar(&o.root, "root", ".", "the checkout")
	flag.StringVar(&o.kubernetes, "kubernetes", "", "the folder of the module k8s.io/kubernetes")
	flag.StringVar(&o.benchmark, "benchmark", "build/scheduler_perf/upstream.test", "the compiled benchmark")
	flag.StringVar(&o.folder, "folder", "build/scheduler_perf/run", "for logs, data and profiles; emptied at the start")
	flag.StringVar(&o.winnow, "winnow", "build/release/winnow", "how to run winnow: a command and its first arguments")
	flag.IntVar(&o.nodes, "nodes", 0, "scale all of a workload in proportion to that many nodes [as upstream has it]")
	flag.IntVar(&o.pods, "pods", 0, "at most that many pods of a workload are measured [as upstream has it]")
	flag.BoolVar(&o.profile, "profile", false, "a CPU profile of upstream's process beside each measurement")
	turns := flag.Int("turns", 1, "each way of a workload in turn so often; medians at the end")
	workloads := flag.String("workloads", standard, "CASE/WORKLOAD of upstream's files, with commas between; a CASE of the default takes that one")
	names := flag.String("ways", "in-tree,best,best-no-filters,nominate", "with commas between; also everything, scores, nominate-gate")
	flag.Parse()
	if err := run(o, *turns, *workloads, *names); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options, turns int, names, wayNames string) error {
	for _, path := range []*string{&o.root, &o.benchmark, &o.folder} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	chosen, err := waysOf(wayNames)
	if err != nil {
		return err
	}
	var workloads []workload
	for _, name := range strings.Split(names, ",") {
		w, err := findWorkload(filepath.Join(o.kubernetes, "test/integration/scheduler_perf"), fullName(name))
		if err != nil {
			return err
		}
		w.scale(o.nodes, o.pods)
		workloads = append(workloads, w)
	}
	if err := os.RemoveAll(o.folder); err != nil {
		return err
	}
	var all table
	fmt.Print(head)
	for turn := range turns {
		for _, w := range workloads {
			if err := o.turn(turn, w, chosen, &all); err != nil {
				return err
			}
		}
	}
	if turns > 1 {
		fmt.Printf("=== medians of %d turns\n", turns)
		all.medians(os.Stdout)
	}
	return nil
}

// fullName of a case without a workload: that of the standard ones.
func fullName(name string) string {
	for _, full := range strings.Split(standard, ",") {
		if strings.HasPrefix(full, name+"/") {
			return full
		}
	}
	return name
}

// turn measures a workload once in each way. in-tree is first in the even turns and last in the odd ones, so that a machine
// that slows down favours neither.
func (o options) turn(turn int, w workload, chosen []way, all *table) error {
	results := make([]figures, len(chosen))
	for i := range chosen {
		at := i
		if turn%2 == 1 {
			at = len(chosen) - 1 - i
		}
		var err error
		if results[at], err = o.measure(turn, w, chosen[at]); err != nil {
			return fmt.Errorf("%s, %s: %w", w.name, chosen[at].name, err)
		}
	}
	for i, way := range chosen {
		results[i].Ratios = results[i].over(results[0])
		row := fmt.Sprintf("%s | %d, %d | %s", w.name, w.param("initNodes"), w.param("measurePods"), way.name)
		all.add(row, results[i])
		fmt.Print(line(row, results[i]))
	}
	return nil
}

// measure in a process of its own, in upstream's folder: paths of its files begin there.
func (o options) measure(turn int, w workload, way way) (figures, error) {
	folder := filepath.Join(o.folder, strings.ReplaceAll(w.name, "/", "-"), fmt.Sprintf("%s-%d", way.name, turn+1))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return figures{}, err
	}
	s := setup.Setup{
		Cases: filepath.Join(folder, "cases.yaml"), Log: filepath.Join(folder, "winnow.log"), Result: filepath.Join(folder, "result.json"),
		InitPods: w.param("initPods"), MeasurePods: w.param("measurePods"),
	}
	if err := o.prepare(folder, w, way, &s); err != nil {
		return figures{}, err
	}
	file := filepath.Join(folder, "setup.json")
	if err := setup.Write(file, s); err != nil {
		return figures{}, err
	}
	if err := o.start(folder, file, w); err != nil {
		return figures{}, err
	}
	speed, err := throughput(folder)
	if err != nil {
		return figures{}, err
	}
	var result setup.Result
	if err := setup.Read(s.Result, &result); err != nil {
		return figures{}, err
	}
	if result.Pods < float64(s.MeasurePods) {
		return figures{}, fmt.Errorf("%.0f of %d pods were placed", result.Pods, s.MeasurePods)
	}
	return figuresOf(speed, result), nil
}

// prepare the files that upstream, kube-scheduler and Winnow read.
func (o options) prepare(folder string, w workload, way way, s *setup.Setup) error {
	configuration := ""
	if len(way.flags) > 0 {
		rules := filepath.Join(folder, "rules.yaml")
		if err := os.WriteFile(rules, []byte(today), 0o644); err != nil {
			return err
		}
		s.Port = freePort()
		s.Winnow = append(strings.Fields(o.winnow), "serve", "--config", rules, "--v", "1")
		s.Winnow = append(s.Winnow, way.flags...)
		if !filepath.IsAbs(s.Winnow[0]) {
			s.Winnow[0] = filepath.Join(o.root, s.Winnow[0])
		}
	}
	if way.policy != "" {
		s.Policy = filepath.Join(o.root, "manifests", way.policy)
	}
	if way.configuration != "" {
		text, err := os.ReadFile(filepath.Join(o.root, "manifests", way.configuration))
		if err != nil {
			return err
		}
		moved, err := atPort(string(text), s.Port)
		if err != nil {
			return fmt.Errorf("%s: %w", way.configuration, err)
		}
		configuration = filepath.Join(folder, "scheduler.yaml")
		if err := os.WriteFile(configuration, []byte(moved), 0o644); err != nil {
			return err
		}
	}
	return w.write(s.Cases, configuration)
}

// today are Winnow's rules: kube-scheduler's defaults, which upstream's benchmark has, too.
const today = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler}]
`

// start the benchmark, and wait for its end.
func (o options) start(folder, file string, w workload) error {
	log, err := os.Create(filepath.Join(folder, "upstream.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-test.run=^$", "-test.benchtime=1x", "-test.bench=^BenchmarkPerfScheduling$", "-data-items-dir=" + folder}
	if o.profile {
		args = append(args, "-perf-cpuprofile")
	}
	cmd := exec.Command(o.benchmark, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.folder, log, log
	cmd.Env = append(os.Environ(), setup.Variable+"="+file, "ARTIFACTS="+folder, "KUBE_CACHE_MUTATION_DETECTOR=false",
		"PATH="+filepath.Join(o.root, "build/e2e/bin")+":"+os.Getenv("PATH"))
	begin := time.Now()
	err = cmd.Run()
	took := time.Since(begin).Seconds()
	if err != nil {
		return fmt.Errorf("upstream's benchmark after %.0f s: %w; see %s", took, err, log.Name())
	}
	fmt.Fprintf(os.Stderr, "%s: %.0f s\n", filepath.Base(folder), took)
	return nil
}

func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
