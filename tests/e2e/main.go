// Runs Winnow beside a real kube-scheduler, on a real etcd and real API servers, and checks where pods go. run.sh
// calls it.
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
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// scenario is one story and its checks. It is run once for each of its ways (ways.go).
type scenario struct {
	name  string
	ways  []string // Of the full run.
	short []string // Of the short run.
	named []string // Run only when the scenario is named.
	run   func(*T)
}

var (
	once  = []string{""}
	best  = []string{"best"}
	live  = []string{"everything", "best"}
	every = []string{"in-tree", "scores", "everything", "best"}
)

var scenarios = []scenario{
	{"manifests", once, once, nil, manifests},
	{"by-hand", once, nil, nil, byHand},
	{"rules", every, live, nil, rules},
	{"spread", []string{"scores", "everything", "best"}, best, nil, spreadService},
	{"preempt", []string{"in-tree", "everything", "best"}, live, nil, preempt},
	{"others", []string{"in-tree", "everything", "best"}, best, nil, others},
	{"extenders", once, once, nil, extenders},
	{"full-speed", every, nil, nil, fullSpeed},
	{"some-speed", nil, []string{"scores", "everything", "best"}, nil, someSpeed},
	{"refused-claim", live, best, nil, refusedClaim},
	{"failover", live, best, nil, failover},
	{"restart", live, best, nil, restart},
	{"policy-change", live, best, nil, policyChange},
	{"sampling", live, best, nil, sampling},
	{"misfits", live, best, nil, misfits},
	{"second-scheduler", once, once, nil, secondScheduler},
	{"oracle-today", best, nil, nil, oracleToday},
	{"oracle-classic", best, nil, nil, oracleClassic},
	{"rights", best, best, nil, rights},
	{"stale", best, nil, nil, stale},
	{"quiet", best, nil, nil, quiet},
	{"cold-start", nil, nil, once, coldStart},
	{"table", nil, nil, []string{"in-tree", "in-tree, sampled", "scores", "everything", "best", "no-op"}, table},
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
	klog.SetLogger(logr.Discard()) // client-go's words on servers that were killed.
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
	for _, way := range slices.Concat(s.ways, s.short, s.named) {
		for _, name := range wanted {
			if (name == s.name || name == s.name+"/"+way) && !slices.Contains(ways, way) {
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
	b.Story = strings.NewReplacer("/", "-", ", ", "-").Replace(name) + "-"
	t.do(s.run)
	result := "passed"
	if t.failed {
		result = "FAILED"
	}
	fmt.Printf("=== %s %s, %d checks, %.1f s\n", name, result, t.checks, time.Since(start).Seconds())
	return !t.failed
}
