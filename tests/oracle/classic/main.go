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
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog"
	"winnow.test/oracle/common/answer"
)

func main() {
	times := flag.Int("time", 0, "answer each pod so many times and print the cost")
	preempts := flag.Bool("preempt", false, "answer what preemption would do")
	simulates := flag.Bool("simulate", false, "follow Winnow's simulations")
	flag.Parse()
	answer.Quiet(klog.InitFlags, klog.SetOutput)
	surviveCrashes()
	counts := &answer.Counts{Method: "Schedule()"}
	run := explainAll(counts)
	if *times > 0 {
		run = timeAll(*times)
	} else {
		answer.SpareCollector()
	}
	podsInOrder = *preempts
	switch {
	case *simulates:
		run = simulateAll(*preempts)
	case *preempts:
		run = preemptAll
	}
	failure := answer.Each("classic", flag.Args(), func(dir answer.Directory) error { return with(dir, run) })
	if *times == 0 && !*preempts && !*simulates {
		counts.Print("classic")
	}
	if failure != nil { // Which has been told.
		os.Exit(2)
	}
}

// podsInOrder lets the cache get its pods by namespace and name. Of equally important pods upstream keeps the cache's order.
var podsInOrder bool

// with makes the directory's scheduler, and knows the pods that are asked about.
func with(dir answer.Directory, run func(answer.Directory, *scheduler, []*v1.Pod) error) error {
	o, pods, err := objects.ReadDirectory(dir)
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
	s, err := newScheduler(policy, o)
	if err != nil {
		return err
	}
	defer s.close()
	if err := dir.WriteStored(o["Node"], pods); err != nil {
		return err
	}
	return run(dir, s, pods)
}

func explainAll(counts *answer.Counts) func(answer.Directory, *scheduler, []*v1.Pod) error {
	return func(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
		return counts.ExplainAll(dir, len(pods), func(i int) (*answer.Explanation, error) {
			e := explain(s, pods[i])
			return e, prove(s, pods[i], e)
		})
	}
}
