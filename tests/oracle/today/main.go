// Answers, with upstream's own v1.37.2 code, what `winnow explain -o json` answers: every plugin's verdict and
// score for every node, and the devices that DynamicResources finds there, one JSON object for each pod and line.
//
//	today DIR…       reads DIR/cluster.json and, if there, DIR/config.json (a KubeSchedulerConfiguration; else upstream's
//	                 default) and DIR/pods.json, writes DIR/upstream.json; holds each answer against upstream's own
//	                 SchedulePod, and ends with exit code 2 if they differ. DIR/fits.json, if there, says which nodes
//	                 are scored (answer.Fits); there is nothing to hold that against
//	today -preempt DIR…
//	                 writes DIR/upstream-preempt.json instead: for pods that fit nowhere, the nodes that evictions free
//	today -simulate DIR…
//	                 writes DIR/upstream-simulate.json instead: what upstream says at each of Winnow's attempts to place a
//	                 pod, which DIR/winnow-simulate.json lists, in the state that those before have left. -preempt as well:
//	                 whom it evicts
//	today -expressions DIR…
//	                 answers users' expressions instead: DIR/upstream-expressions.json has what cel-go makes of those of
//	                 DIR/expressions.json, DIR/upstream-plugins.json what plugins say that fixed expressions imitate
//	today -time N DIR…
//	                 prints what upstream's answers cost, a line for each pod
//	today -v1-fields
//	                 prints the fields of pods and nodes that expressions may read, as cluster/fields/v1_fields.inc
//	today -memory DIR…
//	                 prints what a cluster takes in memory; one directory a process, since Go gives back late
//	today -defaults FILE…
//	                 prints a line for each object of the files: what an API server would store, and what it refuses of a pod
//	today -check FILE…
//	                 prints whether kube-scheduler takes the configuration, and what becomes of its profiles, a line for
//	                 each file
//
// Upstream does the wiring: its scheduler.New makes the scheduler from the configuration, and its own event handlers fill
// the cache and the queue from informers that stand still. No extender is asked.
package main

import (
	"flag"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

func main() {
	times := flag.Int("time", 0, "answer each pod so many times and print the cost")
	memory := flag.Bool("memory", false, "print what the clusters take in memory")
	preempts := flag.Bool("preempt", false, "answer what preemption would do")
	simulates := flag.Bool("simulate", false, "follow Winnow's simulations")
	expressions := flag.Bool("expressions", false, "answer users' expressions")
	checks := flag.Bool("check", false, "print whether kube-scheduler takes the configuration files")
	defaults := flag.Bool("defaults", false, "print the objects of the files as an API server would store them")
	v1Fields := flag.Bool("v1-fields", false, "print the fields of pods and nodes that expressions may read")
	flag.Parse()
	answer.Quiet(klog.InitFlags, klog.SetOutput)
	surviveCrashes()
	if err := beVersion("v1.37.2"); err != nil {
		answer.Exit(err)
	}
	switch {
	case *v1Fields:
		answer.Exit(printV1Fields())
	case *checks:
		answer.Exit(answer.CheckAll(flag.Args(), loader.Check))
	case *defaults:
		answer.Exit(admitAll(flag.Args()))
	case *memory:
		answer.Exit(answer.Each("today", flag.Args(), measure))
	case *times > 0:
		answer.Exit(answer.Each("today", flag.Args(), func(dir answer.Directory) error { return with(dir, false, timeAll(*times)) }))
	}
	answer.SpareCollector()
	podsInOrder = *preempts
	switch {
	case *expressions:
		answer.Exit(answer.Each("today", flag.Args(), func(dir answer.Directory) error { return with(dir, true, evaluateAll) }))
	case *simulates:
		answer.Exit(answer.Each("today", flag.Args(), func(dir answer.Directory) error { return with(dir, true, simulateAll(*preempts)) }))
	case *preempts:
		answer.Exit(answer.Each("today", flag.Args(), func(dir answer.Directory) error { return with(dir, true, preemptAll) }))
	}
	counts := &answer.Counts{Method: "SchedulePod"}
	err := answer.Each("today", flag.Args(), func(dir answer.Directory) error { return with(dir, true, explainAll(counts)) })
	counts.Print("today")
	answer.Exit(err)
}

// podsInOrder lets the cache get its pods by namespace and name. Of equally important pods upstream keeps the cache's order.
var podsInOrder bool

// with makes the directory's scheduler, and knows the pods that are asked about.
func with(dir answer.Directory, inOrder bool, run func(answer.Directory, *scheduler, []*v1.Pod) error) error {
	o, pods, err := objects.ReadDirectory(dir)
	if err != nil {
		return err
	}
	c, err := readConfig(dir.Config())
	if err != nil {
		return err
	}
	forAnswers(c)
	if podsInOrder {
		cluster.Sorted(o["Pod"])
	}
	cluster.Sorted(o["DeviceClass"]) // As an API server lists them: of two with one resource the order tells.
	s, err := newScheduler(c, newInformers(o, inOrder))
	if err != nil {
		return err
	}
	defer s.close()
	if inOrder {
		s.orderSlices()
	}
	if err := s.takeSnapshot(); err != nil {
		return err
	}
	if err := dir.WriteStored(o["Node"], pods); err != nil {
		return err
	}
	return run(dir, s, pods)
}

func explainAll(counts *answer.Counts) func(answer.Directory, *scheduler, []*v1.Pod) error {
	return func(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
		fits, err := dir.ReadFits()
		if err != nil {
			return err
		}
		return counts.ExplainAll(dir, len(pods), func(i int) (*answer.Explanation, error) {
			e := explainAmong(s, pods[i], func(nodes []*answer.Node) []*answer.Node { return fits.Keep(i, nodes) })
			if fits != nil { // Other rules have a say too.
				return e.Explanation, nil
			}
			return e.Explanation, prove(e)
		})
	}
}
