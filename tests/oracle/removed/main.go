// Answers, with upstream's own v1.22.17 code, what `winnow explain -o json` answers about the plugins that later releases
// removed: every such plugin's verdict and score for every node, one JSON object for each pod and line.
//
//	removed DIR…     reads DIR/cluster.json, DIR/config.json (a KubeSchedulerConfiguration of v1beta1, or one of v1 that
//	                 disables the default plugins) and, if there, DIR/pods.json, writes DIR/upstream.json; holds each
//	                 answer against upstream's own Schedule, and ends with exit code 2 if they differ. DIR/fits.json, if
//	                 there, says which nodes are scored (answer.Fits); there is nothing to hold that against
//	removed -check FILE…
//	                 prints whether that kube-scheduler takes the configuration, and what becomes of its profiles, a line
//	                 for each file
//
// Upstream does the wiring: its scheduler.New makes the scheduler from the configuration, and its own event handlers fill
// the cache and the queue from informers that stand still. No extender is asked. Gates are the release's own, and the limit
// of volumes is not set by the environment.
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
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"winnow.test/oracle/answer"
)

func main() {
	checks := flag.Bool("check", false, "print whether kube-scheduler takes the configuration files")
	flag.Parse()
	quiet()
	surviveCrashes()
	os.Unsetenv(nodevolumelimits.KubeMaxPDVols)
	if *checks {
		exit(checkAll(flag.Args()))
	}
	if os.Getenv("GOGC") == "" { // Many small clusters, or one large.
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(4 << 30)
	}
	counts := &counts{}
	err := each(func(dir answer.Directory) error { return with(dir, counts.explainAll) })
	fmt.Fprintf(os.Stderr, "removed: %d pods, of them %d ambiguous, %d that upstream panics at, %d that differ from Schedule\n",
		counts.pods, counts.ambiguous, counts.panics, counts.unproven)
	exit(err)
}

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
			failure = fmt.Errorf("removed: some directories failed")
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
func with(dir answer.Directory, run func(answer.Directory, *scheduler, []*v1.Pod) error) error {
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
	sort.Slice(pending, func(i, j int) bool { return before(pending[i], pending[j]) })
	s, err := newScheduler(c, newInformers(client, o))
	if err != nil {
		return err
	}
	defer s.close()
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
		return fmt.Errorf("%d answers are not Schedule's", c.unproven-before)
	}
	return nil
}
