// Runs Winnow beside a real kube-scheduler, on a real etcd and real API servers, and checks where pods go. run.sh calls it.
//
//	bed/       starts and stops the programs
//	cluster/   makes nodes and pods, watches, and says which promises are broken
//	extender/  an extender answered by hand
//	*.go       the scenarios, a file each; main.go has the list
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// scenario is one story and its checks. It is run once for each of its ways (ways.go).
type scenario struct {
	name  string
	short []string // The ways that are in the short run.
	ways  []string
	run   func(*T)
}

var scenarios = []scenario{
	{"manifests", []string{""}, []string{""}, manifests},
	{"rules", []string{"everything", "best"}, []string{"in-tree", "scores", "everything", "best"}, rules},
	{"spread", []string{"best"}, []string{"scores", "everything", "best"}, spreadService},
	{"preempt", []string{"everything", "best"}, []string{"in-tree", "everything", "best"}, preempt},
	{"full-speed", nil, []string{"in-tree", "scores", "everything", "best"}, fullSpeed},
	{"failover", []string{"best"}, []string{"everything", "best"}, failover},
	{"restart", []string{"best"}, []string{"best"}, restart},
	{"policy-change", []string{"everything"}, []string{"everything"}, policyChange},
	{"refused-claim", []string{"best"}, []string{"everything", "best"}, refusedClaim},
	{"others", []string{"best"}, []string{"in-tree", "everything", "best"}, others},
	{"rights", []string{"best"}, []string{"best"}, rights},
	{"stale", nil, []string{"best"}, stale},
	{"quiet", nil, []string{"best"}, quiet},
	{"some-speed", []string{"best"}, nil, someSpeed},
}

type options struct {
	root, binaries, folder string
	winnow                 bed.WinnowCommand
	short                  bool
}

func main() {
	o := options{}
	flag.StringVar(&o.root, "root", ".", "the checkout")
	flag.StringVar(&o.binaries, "binaries", "build/e2e/bin", "where etcd, kube-apiserver and kube-scheduler are")
	flag.StringVar(&o.folder, "folder", "build/e2e/run", "for data and logs; emptied at the start")
	winnow := flag.String("winnow", "build/release/winnow", "how to run winnow: a command and its first arguments")
	flag.BoolVar(&o.short, "short", false, "only what is in the short run")
	flag.Parse()
	o.winnow = strings.Fields(*winnow)
	os.Exit(runAll(o, flag.Args()))
}

func runAll(o options, wanted []string) int {
	b, err := bed.Start(o.binaries, o.folder, 2)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer b.Stop()
	client, err := kubernetes.NewForConfig(b.Config(bed.Admin))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c := &cluster.Cluster{Client: client}
	passed, failed := 0, 0
	for _, s := range scenarios {
		for _, way := range waysOf(s, o.short, wanted) {
			if runOne(o, b, c, s, way) {
				passed++
			} else {
				failed++
			}
		}
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		return 1
	}
	return 0
}

// waysOf gives those that were asked for: by "SCENARIO" or "SCENARIO/WAY", else all of the run.
func waysOf(s scenario, short bool, wanted []string) (ways []string) {
	all := s.ways
	if short {
		all = s.short
	}
	if len(wanted) == 0 {
		return all
	}
	for _, way := range append(append([]string{}, s.ways...), s.short...) {
		for _, name := range wanted {
			if (name == s.name || name == s.name+"/"+way) && !contains(ways, way) {
				ways = append(ways, way)
			}
		}
	}
	return ways
}

func runOne(o options, b *bed.Bed, c *cluster.Cluster, s scenario, way string) bool {
	name := strings.TrimSuffix(s.name+"/"+way, "/")
	fmt.Printf("=== %s\n", name)
	start := time.Now()
	t := &T{Bed: b, Cluster: c, Ctx: context.Background(), way: way, options: o}
	t.do(s.run)
	result := "passed"
	if t.failed {
		result = "FAILED"
	}
	fmt.Printf("=== %s %s, %d checks, %.1f s\n", name, result, t.checks, time.Since(start).Seconds())
	return !t.failed
}

func contains(list []string, item string) bool {
	for _, one := range list {
		if one == item {
			return true
		}
	}
	return false
}
