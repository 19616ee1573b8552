// Answers, with upstream's own v1.16.15 code, what `winnow explain -o json` answers: every rule's verdict and
// score for every node, one JSON object for each pod and line.
//
//	classic DIR…     reads DIR/cluster.json and, if there, DIR/policy.json (else the default provider), DIR/pods.json and
//	                 DIR/gates.json (upstream's feature gates: {"EvenPodsSpread": true}), writes DIR/upstream.json; holds each
//	                 answer against upstream's own Schedule(), and ends with exit code 2 if they differ
//	classic -preempt DIR…
//	                 writes DIR/upstream-preempt.json instead: for pods that fit nowhere, the nodes that evictions free
//	classic -simulate DIR…
//	                 writes DIR/upstream-simulate.json instead: what upstream says at each of Winnow's attempts to place a
//	                 pod, which DIR/winnow-simulate.json lists, in the state that those before have left. -preempt as well:
//	                 whom it evicts
//	classic -time N DIR…
//	                 prints what upstream's answers cost, a line for each pod
//
// Upstream does the wiring: its factory makes the scheduler from the Policy, its cache holds nodes and pods, its volume
// binder and its listers read the rest from informers that stand still. Its queue has the pods that are nominated
// for a node. No extender is asked.
package main

import (
	"flag"
	"fmt"
	"io/ioutil"
	"os"
	"runtime/debug"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog"
	"winnow.test/oracle/answer"
)

func main() {
	times := flag.Int("time", 0, "answer each pod so many times and print the cost")
	preempts := flag.Bool("preempt", false, "answer what preemption would do")
	simulates := flag.Bool("simulate", false, "follow Winnow's simulations")
	flag.Parse()
	quiet()
	surviveCrashes()
	counts := &counts{}
	run := counts.explainAll
	if *times > 0 {
		run = timeAll(*times)
	} else if os.Getenv("GOGC") == "" { // Many small clusters, or one large.
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(4 << 30)
	}
	podsInOrder = *preempts
	switch {
	case *simulates:
		run = simulateAll(*preempts)
	case *preempts:
		run = preemptAll
	}
	failed := false
	for _, dir := range flag.Args() {
		if err := with(answer.Directory(dir), run); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", dir, err)
			failed = true
		}
	}
	if *times == 0 && !*preempts && !*simulates {
		fmt.Fprintf(os.Stderr, "classic: %d pods, of them %d ambiguous, %d that upstream panics at, %d that differ from Schedule()\n",
			counts.pods, counts.ambiguous, counts.panics, counts.unproven)
	}
	if failed {
		os.Exit(2)
	}
}

// podsInOrder lets the cache get its pods by namespace and name. Of equally important pods upstream keeps the cache's order.
var podsInOrder bool

// quiet lets upstream log nothing.
func quiet() {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	flags.Set("logtostderr", "false")
	flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(ioutil.Discard)
}

// with makes the directory's scheduler and the list of pods that are asked about: the pending ones by namespace and
// name, then those of pods.json.
func with(dir answer.Directory, run func(answer.Directory, *scheduler, []*v1.Pod) error) error {
	o, err := readObjects(dir.Cluster())
	if err != nil {
		return err
	}
	further, err := readPods(dir.Pods())
	if err != nil {
		return err
	}
	policy, err := readPolicy(dir.Policy())
	if err != nil {
		return err
	}
	gates, err := dir.ReadGates()
	if err != nil {
		return err
	}
	undo, err := applyGates(gates)
	if err != nil {
		return err
	}
	defer undo()
	pending, assigned := o.split()
	if podsInOrder {
		sort.SliceStable(assigned, func(i, j int) bool { return before(assigned[i], assigned[j]) })
	}
	sort.Slice(pending, func(i, j int) bool { return before(pending[i], pending[j]) })
	s, err := newScheduler(policy, o, assigned)
	if err != nil {
		return err
	}
	defer s.close()
	pods := append(pending, further...)
	if err := dir.WriteStored(o.nodes, pods); err != nil {
		return err
	}
	return run(dir, s, pods)
}

// counts is what all directories held.
type counts struct{ pods, ambiguous, panics, unproven int }

func (c *counts) explainAll(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
	out, err := dir.NewWriter()
	if err != nil {
		return err
	}
	before := c.unproven
	for _, pod := range pods {
		e := explain(s, pod)
		c.pods++
		if e.Ambiguous {
			c.ambiguous++
		}
		if e.Panic != "" {
			c.panics++
		}
		if err := prove(s, pod, e); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s: %v\n", dir, e.Pod, err)
			c.unproven++
		}
		if err := out.Write(e); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	if c.unproven > before {
		return fmt.Errorf("%d answers are not Schedule()'s", c.unproven-before)
	}
	return nil
}
