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
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"winnow.test/oracle/common/answer"
)

func main() {
	checks := flag.Bool("check", false, "print whether kube-scheduler takes the configuration files")
	flag.Parse()
	answer.Quiet(klog.InitFlags, klog.SetOutput)
	surviveCrashes()
	os.Unsetenv(nodevolumelimits.KubeMaxPDVols)
	if *checks {
		answer.Exit(answer.CheckAll(flag.Args(), loader.Check))
	}
	answer.SpareCollector()
	counts := &answer.Counts{Method: "Schedule"}
	err := answer.Each("removed", flag.Args(), func(dir answer.Directory) error { return with(dir, explainAll(counts)) })
	counts.Print("removed")
	answer.Exit(err)
}

// with makes the directory's scheduler, and knows the pods that are asked about.
func with(dir answer.Directory, run func(answer.Directory, *scheduler, []*v1.Pod) error) error {
	o, pods, err := objects.ReadDirectory(dir)
	if err != nil {
		return err
	}
	c, err := readConfig(dir.Config())
	if err != nil {
		return err
	}
	forAnswers(c)
	s, err := newScheduler(c, newInformers(o))
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
