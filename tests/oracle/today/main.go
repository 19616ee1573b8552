// Answers, with upstream's own v1.37.0 code, what `winnow explain -o json` answers: every plugin's verdict and
// score for every node, one JSON object for each pod and line.
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
//	today -time N DIR…
//	                 prints what upstream's answers cost, a line for each pod
//	today -memory DIR…
//	                 prints what a cluster takes in memory; one directory a process, since Go gives back late
//	today -defaults FILE…
//	                 prints a line for each object of the files: what an API server would store, and what it refuses of a pod
//	today -check FILE…
//	                 prints whether kube-scheduler takes the configuration, and what becomes of its profiles, a line for
//	                 each file
//
// Upstream does the wiring: its scheduler.New makes the scheduler from the configuration, and its own event handlers fill
// the cache and the queue from informers that stand still. No extender is asked, and no resource claim known.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"winnow.test/oracle/answer"
)

func main() {
	times := flag.Int("time", 0, "answer each pod so many times and print the cost")
	memory := flag.Bool("memory", false, "print what the clusters take in memory")
	preempts := flag.Bool("preempt", false, "answer what preemption would do")
	simulates := flag.Bool("simulate", false, "follow Winnow's simulations")
	checks := flag.Bool("check", false, "print whether kube-scheduler takes the configuration files")
	defaults := flag.Bool("defaults", false, "print the objects of the files as an API server would store them")
	flag.Parse()
	quiet()
	surviveCrashes()
	if err := beVersion("v1.37.0"); err != nil {
		exit(err)
	}
	switch {
	case *checks:
		exit(checkAll(flag.Args()))
	case *defaults:
		exit(admitAll(flag.Args()))
	case *memory:
		exit(each(measure))
	case *times > 0:
		exit(each(func(dir answer.Directory) error { return with(dir, false, timeAll(*times)) }))
	}
	if os.Getenv("GOGC") == "" { // Many small clusters, or one large.
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(4 << 30)
	}
	podsInOrder = *preempts
	switch {
	case *simulates:
		exit(each(func(dir answer.Directory) error { return with(dir, true, simulateAll(*preempts)) }))
	case *preempts:
		exit(each(func(dir answer.Directory) error { return with(dir, true, preemptAll) }))
	}
	counts := &counts{}
	err := each(func(dir answer.Directory) error { return with(dir, true, counts.explainAll) })
	fmt.Fprintf(os.Stderr, "today: %d pods, of them %d ambiguous, %d that upstream panics at, %d that differ from SchedulePod\n",
		counts.pods, counts.ambiguous, counts.panics, counts.unproven)
	exit(err)
}

// podsInOrder lets the cache get its pods by namespace and name. Of equally important pods upstream keeps the cache's order.
var podsInOrder bool

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// each goes on after a directory that fails.
func each(run func(answer.Directory) error) (failure error) {
	for _, dir := range flag.Args() {
		if err := run(answer.Directory(dir)); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", dir, err)
			failure = fmt.Errorf("today: some directories failed")
		}
	}
	return failure
}

// quiet lets upstream log nothing.
func quiet() {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	flags.Set("logtostderr", "false")
	flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
}

// with makes the directory's scheduler and the list of pods that are asked about: the pending ones by namespace and
// name, then those of pods.json.
func with(dir answer.Directory, inOrder bool, run func(answer.Directory, *scheduler, []*v1.Pod) error) error {
	o, err := readObjects(dir.Cluster())
	if err != nil {
		return err
	}
	further, err := readPods(dir.Pods())
	if err != nil {
		return err
	}
	c, err := readConfig(dir.Config())
	if err != nil {
		return err
	}
	forAnswers(c)
	pending := o.split()
	if podsInOrder {
		sorted(o["Pod"])
	}
	sort.Slice(pending, func(i, j int) bool { return before(pending[i], pending[j]) })
	s, err := newScheduler(c, newInformers(client, o, inOrder))
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.takeSnapshot(); err != nil {
		return err
	}
	pods := append(pending, further...)
	if err := dir.WriteStored(o["Node"], pods); err != nil {
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
	fits, err := dir.ReadFits()
	if err != nil {
		return err
	}
	before := c.unproven
	for i, pod := range pods {
		e := explainAmong(s, pod, func(nodes []*answer.Node) []*answer.Node { return fits.Keep(i, nodes) })
		c.pods++
		if e.Ambiguous {
			c.ambiguous++
		}
		if e.Panic != "" {
			c.panics++
		}
		if fits != nil { // Other rules have a say too.
		} else if err := prove(e); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s: %v\n", dir, e.Pod, err)
			c.unproven++
		}
		if err := out.Write(e.Explanation); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	if c.unproven > before {
		return fmt.Errorf("%d answers are not SchedulePod's", c.unproven-before)
	}
	return nil
}
