// Runs Winnow beside a real kube-scheduler, on a real etcd and real API servers, and checks where pods go. run.sh
// calls it.
//
//	bed/       starts and stops the programs
//	cluster/   makes nodes and pods, watches, and says which promises are broken
//	extender/  an extender answered by hand
//	waiting/   the kinds of pods that one event makes fit
//	churn/     pods and nodes that come and go, and faults
//	truth/     what etcd says became of pods, and which bindings break a promise
//	held/      the kinds of pods that are not placed, beside pods that have room
//	evictions/ the clusters in which some evictions let a pod in
//	devices/   the kinds of claims of devices, who gives them, and which promises they break
//	usage/     what pods really use, and the metrics API that tells of it
//	measure/   what tries came to, as tables
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
	"k8s.io/klog/v2"
	"winnow.test/e2e/bed"
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
	binds = []string{bindingWay}
	both  = []string{"best", bindingWay}
	gated = []string{gatedWay}
	every = []string{"in-tree", "scores", "everything", "best"}
)

var scenarios = []scenario{
	{"manifests", once, once, nil, manifests},
	{"nominator-rights", once, once, nil, nominatorRights},
	{"nominator-gate", once, once, nil, nominatorGate},
	{"by-hand", once, nil, nil, byHand},
	{"rules", every, live, nil, rules},
	{"spread", []string{"scores", "everything", "best"}, best, nil, spreadService},
	{"removed-plugin", []string{"in-tree", "everything", "best"}, nil, nil, removedPlugin},
	{"preempt", []string{"in-tree", "everything", "best", "best-1.38", bindingWay}, append(live, bindingWay), nil, preempt},
	{"others", []string{"in-tree", "everything", "best"}, best, nil, others},
	{"extenders", once, once, nil, extenders},
	{"full-speed", append(every, bindingWay), nil, nil, fullSpeed},
	{"record", append(live, bindingWay), binds, nil, recordRun},
	{"some-speed", nil, []string{"scores", "everything", "best", bindingWay}, nil, someSpeed},
	{"refused-claim", live, best, nil, refusedClaim},
	{"failover", append(live, bindingWay), both, nil, failover},
	{"restart", append(live, bindingWay), both, nil, restart},
	{"policy-change", live, best, nil, policyChange},
	{"sampling", live, best, nil, sampling},
	{"outside-sample", nil, nil, []string{"idle", "busy", "lag-20"}, outsideSample},
	{"misfits", append(live, bindingWay), both, nil, misfits},
	{"second-scheduler", both, both, nil, secondScheduler},
	{"shadow", []string{"idle", "lag-20"}, []string{"idle"}, []string{"busy"}, shadow},
	{"nominate", []string{"idle", "lag-20"}, []string{"idle"}, []string{"busy"}, nominate},
	{"nominate-events", once, once, nil, nominateEvents},
	{"nominate-kills", gated, nil, nil, nominateKills},
	{"nominate-full-speed", nil, nil, gated, nominateFullSpeed},
	{"oracle-today", best, nil, nil, oracleToday},
	{"oracle-nominate", gated, nil, nil, oracleNominate},
	{"oracle-classic", best, nil, nil, oracleClassic},
	{"rights", both, binds, nil, rights},
	{"doctor", both, best, nil, doctor},
	{"what-if", once, once, nil, whatIf},
	{"tls", binds, binds, nil, overTLS},
	{"stale", best, nil, nil, stale},
	{"revoked", binds, nil, nil, revoked},
	{"quiet", best, nil, nil, quiet},
	{"alerts", []string{bindingWay, gatedWay}, binds, nil, alerts},
	{"waiting", oneCondition, oneCondition, append(allConditions, "lag-400"), waitingPods},
	{"evictions", oneCondition, oneCondition, allConditions, evictedFor},
	{"held", []string{"idle"}, []string{"idle"}, []string{"busy", "lag-20"}, heldPlaces},
	{"load", []string{"idle"}, nil, []string{"busy", "lag-20"}, underLoad},
	{"exclusive", best, best, nil, exclusive},
	{"hopeless", best, nil, []string{"everything", "everything, lag-20", "best, lag-20"}, hopeless},
	{"chart", once, once, nil, chart},
	{"kubectl", once, once, nil, kubectlPlugin},
	{"churn", nil, nil, append(live, bindingWay), churned},
	{"cold-start", nil, nil, once, coldStart},
	{"table", nil, nil, tableWays, table},
	{"devices", []string{"idle"}, nil, []string{"lag-20"}, claimedDevices},
	{"devices-why", best, nil, []string{"everything"}, plantedClaims},
	{"quality", nil, nil, []string{inTreeSampled, "in-tree", "best", "everything", "nominate", gatedWay}, quality},
	{"hold", nil, nil, once, holdBed},
}

type options struct {
	root, binaries, folder string
	helm                   string
	winnow                 bed.WinnowCommand
	short                  bool

	heldTries    int // Of each kind of held.
	tries        int // Of each kind of a scenario that has tries.
	parallel     int
	settle       time.Duration
	kinds, sides string
	flags        []string
	churn        churnOptions
	hold         time.Duration
	resolution   time.Duration
	turns        int // Of table.
	nodes        int // Of table; 0: 1,000 and 5,000.
	worlds       *worlds
}

func main() {
	o := options{}
	flag.StringVar(&o.root, "root", ".", "the checkout")
	flag.StringVar(&o.binaries, "binaries", "build/e2e/bin", "where etcd, kube-apiserver and kube-scheduler are")
	flag.StringVar(&o.folder, "folder", "build/e2e/run", "for data and logs; emptied at the start")
	flag.StringVar(&o.helm, "helm", "build/chart/helm", "Helm's program, for chart")
	winnow := flag.String("winnow", "build/release/winnow", "how to run winnow: a command and its first arguments")
	flag.BoolVar(&o.short, "short", false, "only what is in the short run")
	flag.IntVar(&o.tries, "tries", 0, "of each kind of waiting, evictions and held [50, of held 20, where they are named, else 3; short: 3, of held 1]")
	flag.IntVar(&o.parallel, "parallel", 0, "clusters at once, of waiting and evictions [2; short: 1]")
	flag.DurationVar(&o.settle, "settle", 500*time.Millisecond, "how long a pod of waiting has waited when its event comes")
	flag.StringVar(&o.kinds, "kinds", "", "only these kinds of waiting, evictions, held or table, with commas between")
	flag.StringVar(&o.sides, "sides", "", "only these sides of waiting, evictions or held, with commas between")
	flag.IntVar(&o.turns, "turns", 1, "of table: each way in turn so often, with the medians at the end")
	flag.IntVar(&o.nodes, "table-nodes", 0, "of the clusters of table [1000 and 5000]")
	more := flag.String("winnow-flags", "", "more flags for winnow in waiting, evictions and held")
	flag.DurationVar(&o.resolution, "metric-resolution", 3*time.Second, "of the metrics API of load, in whole seconds; metrics-server's is 15s")
	flag.DurationVar(&o.hold, "hold", time.Hour, "how long the bed of hold is there")
	o.churn.define()
	apart := flag.Bool("apart", false, "each program in a network namespace of its own, for churn: make churn has what it needs")
	balance := flag.String("balance", "", "do nothing but balance from this address over the API servers that are named")
	flag.Parse()
	if *balance != "" {
		os.Exit(onlyBalance(*balance, flag.Args()))
	}
	o.winnow, o.flags = strings.Fields(*winnow), strings.Fields(*more)
	o.defaults(flag.NArg() > 0)
	klog.SetLogger(logr.Discard()) // client-go's words on servers that were killed.
	o.worlds = &worlds{binaries: o.binaries, folder: o.folder, apart: *apart}
	os.Exit(runAll(o, flag.Args()))
}

// onlyBalance is what a bed calls this program for, where kube-scheduler has a network of its own.
func onlyBalance(address string, servers []string) int {
	if _, err := bed.StartBalancer(address, servers, true); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	select {}
}

// defaults of those scenarios that can be as long as one likes: long only where they are named.
func (o *options) defaults(named bool) {
	o.heldTries = o.tries
	if o.tries == 0 {
		o.tries, o.heldTries = 3, 3
		if named && !o.short {
			o.tries, o.heldTries = 50, 20
		}
		if o.short {
			o.heldTries = 1 // Each takes seconds.
		}
	}
	if o.parallel == 0 {
		o.parallel = 2
		if o.short {
			o.parallel = 1 // A second cluster is not worth its start.
		}
	}
}

func runAll(o options, wanted []string) int {
	defer o.worlds.stop()
	first, err := o.worlds.get(0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	passed, failed := 0, 0
	for _, s := range scenarios {
		ways := waysOf(s, o.short, wanted)
		if s.name == "table" {
			ways = slices.Repeat(ways, max(1, o.turns))
		}
		for _, way := range ways {
			if runOne(o, first, s, way) {
				passed++
			} else {
				failed++
			}
		}
	}
	printMedians(o.turns)
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

func runOne(o options, w world, s scenario, way string) bool {
	name := strings.TrimSuffix(s.name+"/"+way, "/")
	fmt.Printf("=== %s\n", name)
	start := time.Now()
	t := &T{Bed: w.bed, Cluster: w.cluster, Ctx: context.Background(), way: way, options: o}
	t.Story = strings.NewReplacer("/", "-", ", ", "-", " ", "-").Replace(name) + "-"
	t.do(s.run)
	result := "passed"
	if t.failed {
		result = "FAILED"
	}
	fmt.Printf("=== %s %s, %d checks, %.1f s\n", name, result, t.checks, time.Since(start).Seconds())
	return !t.failed
}
