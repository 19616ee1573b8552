package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/churn"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/truth"
)

type churnOptions struct {
	long, every time.Duration
	rate, nodes int
	seed        uint64
	spare       string
	spareAfter  time.Duration
}

func (o *churnOptions) define() {
	flag.DurationVar(&o.long, "churn", 2*time.Minute, "how long churn breaks things")
	flag.DurationVar(&o.every, "every", time.Minute, "churn kills a program, and cuts a network, once in this time")
	flag.IntVar(&o.rate, "rate", 20, "pods a second that churn makes")
	flag.IntVar(&o.nodes, "nodes", 100, "nodes of churn")
	flag.Uint64Var(&o.seed, "seed", 0, "of churn; 0: drawn")
	flag.StringVar(&o.spare, "spare", "", "programs that churn does not kill, with commas between")
	flag.DurationVar(&o.spareAfter, "spare-after", 0, "how long churn kills them all the same")
}

// story of a churn: what runs, and what is seen of it.
type story struct {
	*T
	churnOptions
	judge   *truth.Judge
	trouble *churn.Trouble
	load    *churn.Load
	faults  *churn.Faults
	samples *churn.Samples
	starved *churn.Starved
	from    time.Time
	until   time.Time // When the last fault was over.
}

// keptDecisions are as many as churn makes in its first minute: more would fill memory for as long as they grow in number.
const keptDecisions = 1000

// churned: nodes and pods come and go, programs are killed, and networks are cut. No binding breaks a promise, no pod
// is lost or bound twice, all that fits is bound in the end, and Winnow does not grow.
func churned(t *T) {
	s := &story{T: t, churnOptions: t.options.churn, trouble: &churn.Trouble{}}
	if s.seed == 0 {
		s.seed = rand.Uint64N(1_000_000)
	}
	t.note("--seed %d", s.seed)
	stopWatching := s.watchTruth()
	s.load = &churn.Load{Cluster: t.Cluster, Judge: s.judge, Rate: s.rate, Level: 0.6, Seed: s.seed}
	t.must(s.load.Prepare(t.Ctx, s.nodes))
	ring := []string{"--keep-decisions", strconv.Itoa(keptDecisions)}
	if t.Network != nil {
		t.startWithTLS(append(ring, "--anonymous-paths", "/livez,/readyz,/metrics,/explain")...)
	} else {
		t.start(today, ring...)
	}
	programs := s.supervise()
	s.run(programs)
	s.allThatFits()
	for _, program := range programs {
		program.Leave()
		s.settled(program)
	}
	t.Winnow.Process = s.samples.Winnow.Current()
	t.pictureIsTheCluster()
	stopWatching()
	s.verdict()
	s.words()
	s.table()
}

// watchTruth follows etcd until the function that it gives is called.
func (s *story) watchTruth() func() {
	s.judge = truth.New(func(now time.Time) time.Time {
		since := s.trouble.Since(now)
		return latest(since, now.Add(-2*time.Minute)).Add(-5 * time.Second)
	})
	revision, err := truth.Revision(s.EtcdURL())
	s.must(err)
	ctx, cancel := context.WithCancel(s.Ctx)
	done := make(chan error, 1)
	go func() { done <- truth.Follow(ctx, s.EtcdURL(), revision+1, s.judge.Take) }()
	return func() {
		cancel()
		err := <-done
		s.check(err == nil, "etcd's truth was lost: %v", err)
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// supervise starts again what is killed, one to five seconds later.
func (s *story) supervise() []churn.Program {
	var mutex sync.Mutex
	random := rand.New(rand.NewPCG(s.seed, 20))
	pause := func() time.Duration {
		mutex.Lock()
		defer mutex.Unlock()
		return time.Second + time.Duration(random.Int64N(int64(4*time.Second)))
	}
	programs := []churn.Program{{Weight: 1, Health: s.EtcdURL() + "/readyz",
		Supervisor: bed.Supervise(bed.EtcdName, s.Etcd, pause, func() (*bed.Process, error) {
			err := s.LaunchEtcd()
			return s.Etcd, err
		})}}
	for i, server := range s.Servers {
		programs = append(programs, churn.Program{Weight: 2, Health: server.URL + "/readyz",
			Supervisor: bed.Supervise(bed.ServerName(i), server.Process, pause, func() (*bed.Process, error) {
				err := server.Launch()
				return server.Process, err
			})})
	}
	scheduler, port := s.Scheduler, s.T.Winnow.Port()
	programs = append(programs, churn.Program{Weight: 3, Health: scheduler.URL + "/readyz",
		Supervisor: bed.Supervise(bed.SchedulerName, scheduler.Process, pause, func() (*bed.Process, error) {
			err := scheduler.Launch()
			return scheduler.Process, err
		})})
	winnow := bed.Supervise(bed.WinnowName, s.T.Winnow.Process, pause, func() (*bed.Process, error) {
		winnow, err := s.StartWinnow(s.options.winnow, bed.Winnow, port, s.winnowFlags...)
		if err != nil {
			return nil, err
		}
		return winnow.Process, nil
	})
	s.samples = &churn.Samples{Winnow: winnow, URL: s.T.Winnow.URL, Kept: keptDecisions}
	return append(programs, churn.Program{Weight: 3, Health: s.T.Winnow.URL + "/readyz", Supervisor: winnow})
}

// run until the time is over and all is whole again.
func (s *story) run(programs []churn.Program) {
	s.faults = &churn.Faults{Programs: programs, Network: s.Network, Every: s.every, Seed: s.seed,
		Spare: strings.Split(s.spare, ","), SpareAfter: s.spareAfter, Trouble: s.trouble, Say: s.note}
	if s.Network == nil {
		s.note("no network is cut: all programs are on loopback (make churn has them apart)")
	}
	s.starved = &churn.Starved{Programs: programs}
	loading, endLoad := context.WithCancel(s.Ctx)
	breaking, endFaults := context.WithTimeout(s.Ctx, s.long)
	defer endFaults()
	var group sync.WaitGroup
	group.Go(func() { s.load.Run(loading) })
	group.Go(func() { s.samples.Run(loading) })
	group.Go(func() { s.starved.Run(loading) })
	group.Go(func() { s.faults.Watch(loading) })
	group.Go(func() { s.tell(loading) })
	s.from = time.Now()
	s.faults.Run(breaking)
	s.until = time.Now()
	time.Sleep(20 * time.Second) // Under load, and without a fault.
	endLoad()
	group.Wait()
}

// tell at once what is broken.
func (s *story) tell(ctx context.Context) {
	for told := 0; ctx.Err() == nil; time.Sleep(time.Second) {
		for broken := s.judge.Broken(); told < len(broken); told++ {
			s.note("broken: %s", broken[told])
		}
	}
}

// allThatFits is bound in the end: everything but what no node has room for.
func (s *story) allThatFits() {
	waits := func() (names []string) {
		for _, life := range s.judge.Pods() {
			if kind := life.Pod.Labels["kind"]; life.Bound.IsZero() && kind != churn.TooLarge && kind != "whale" {
				names = append(names, life.Pod.Name)
			}
		}
		return names
	}
	cluster.Until(time.Minute, func() bool { return len(waits()) == 0 })
	stuck := waits()
	if !s.check(len(stuck) == 0, "%d pods are not bound a minute after the last one was made: %v", len(stuck), stuck[:min(5, len(stuck))]) {
		s.note("%s: %s", stuck[0], s.history(stuck[0]))
	}
	s.check(s.faults.Unwell() == "", "not well in the end: %s", s.faults.Unwell())
}

// Of kube-scheduler 1.37 when a watch has missed that a pod was deleted and one of its name was made (updatePod in
// pkg/scheduler/eventhandlers.go does not compare UIDs): it ends. That happens without an extender, too.
const upstreamsOwnEnd = "Pod updated on a different node than previously added to"

// settled: nothing ended by itself but what upstream ends. kube-apiserver does not start without etcd.
func (s *story) settled(program churn.Program) {
	for _, ended := range program.Unasked() {
		if strings.HasPrefix(program.Name, "kube-apiserver") || strings.Contains(ended, upstreamsOwnEnd) {
			s.note("%s ended by itself %.200s", program.Name, ended)
			continue
		}
		s.check(false, "%s ended by itself %s", program.Name, ended)
	}
}

// verdict of etcd's truth, of the API servers' audit logs, and of Winnow's memory.
func (s *story) verdict() {
	broken := append(s.judge.Broken(), s.Watch.Broken...)
	s.promises(broken)
	asked, err := s.Audit()
	s.must(err)
	bindings, first := map[string]int{}, ""
	for _, one := range asked {
		if one.ObjectRef.Subresource == "binding" && one.ResponseStatus.Code == 201 {
			uid := one.ObjectRef.UID
			if bindings[uid]++; bindings[uid] > 1 {
				first = one.RequestURI
			}
		}
	}
	s.check(first == "" && bindings[""] == 0, "a binding of a pod was answered 201 more than once: %s", first)
	for _, unwell := range s.faults.Alone() {
		s.check(strings.HasPrefix(unwell[9:], bed.SchedulerName), "not well, and nothing was broken: %s", unwell)
	}
	s.check(len(bindings) > 0, "the audit logs have no binding that was answered 201")
	memory := s.samples.Longest()
	if memory.Long < 3*time.Minute {
		s.note("no process of winnow lived for long enough to say how its memory grows")
		return
	}
	s.check(memory.Resident <= 1.05, "winnow grows: resident memory of the first and the last tenth: %s", memory)
	s.check(memory.Threads <= 2 && memory.FDs <= 8, "winnow grows: threads or descriptors: %s", memory)
}

// silence is how long a watch hears nothing until Winnow gives it up, as Watcher::kSilence.
const silence = 75 * time.Second

// byStarving says whether the word is of a watch that heard nothing in time, on a machine that let some program hardly
// run meanwhile. Such a time-out is no fault of a program's.
func (s *story) byStarving(word churn.Word) bool {
	return word.What == "watch failed" && strings.Contains(word.Line, "reason=timeout") &&
		s.starved.Most(word.At.Add(-silence), word.At)
}

// byChurn are warnings that pods and nodes explain which come and go.
var byChurn = []string{"not found", "is being deleted", "is another pod now", "is already assigned to node", "the UID in the precondition"}

// words: Winnow warns of nothing while all is well.
func (s *story) words() {
	words, err := churn.Words(s.samples.Winnow.Current().Log)
	s.must(err)
	counts, unexplained := map[string]int{}, []string(nil)
	for _, word := range words {
		counts[word.Level+" "+word.What]++
		if word.What == "configuration" || s.trouble.During(word.At.Add(-2*time.Second), word.At.Add(time.Second)) {
			continue
		}
		if word.What == "bind failed" && containsOne(word.Line, byChurn) {
			continue
		}
		if s.byStarving(word) {
			counts["time-outs on a starved machine"]++
			continue
		}
		unexplained = append(unexplained, word.Line)
	}
	s.check(len(unexplained) == 0, "winnow warns, and no fault explains it: %d times, first\n%s",
		len(unexplained), strings.Join(unexplained[:min(5, len(unexplained))], "\n"))
	s.note("winnow's warnings: %s", churn.Counted(counts))
	failed := s.samples.Total("winnow_watch_errors_total")
	killed := churn.Sum(s.faults.Done(), "killed kube-apiserver")
	s.check(killed == 0 || failed > 0, "API servers were killed %d times, and winnow_watch_errors_total says nothing", killed)
}

func containsOne(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// table says what happened.
func (s *story) table() {
	lives, done := s.judge.Lives(), s.faults.Done()
	quiet, faulty := churn.Latencies(lives, s.trouble)
	bound := 0
	for _, life := range lives {
		if !life.Bound.IsZero() {
			bound++
		}
	}
	if s.Network != nil {
		dropped, err := s.Network.Dropped()
		cuts := churn.Sum(done, "cut")
		s.check(err == nil && (dropped > 0 || cuts == 0), "%d cuts have dropped no packet (%v)", cuts, err)
		s.note("%d packets were dropped", dropped)
	}
	long := s.until.Sub(s.from)
	rows := [][2]string{
		{"way, seed", fmt.Sprintf("%s, %d", s.way, s.seed)},
		{"minutes, of which quiet", fmt.Sprintf("%.1f, %.1f", long.Minutes(), s.trouble.Quiet(s.from, s.until).Minutes())},
		{"kills", fmt.Sprintf("%d: %s", churn.Sum(done, "killed"), only(done, "killed "))},
		{"cuts", fmt.Sprintf("%d: %s", churn.Sum(done, "cut"), only(done, "cut "))},
		{"pods made, bound, preempted", fmt.Sprintf("%d, %d, %d", s.load.Made.Load(), bound, s.judge.Evicted())},
		{"changes of nodes", fmt.Sprint(s.load.NodeTurns.Load())},
		{"quiet: creation to binding, p50, p99, longest", quiet.String()},
		{"faulty: the same", faulty.String()},
		{"resident memory, first and last tenth, ratio", s.samples.Longest().String()},
		{"seconds in which a program got less than a quarter of the processor time that it wanted", s.starved.String()},
		{"winnow's metrics", strings.Join(s.samples.Totals(), "; ")},
	}
	fmt.Println("| what | figures |\n|---|---|")
	for _, row := range rows {
		fmt.Printf("| %s | %s |\n", row[0], row[1])
	}
}

func only(done map[string]int, prefix string) string {
	some := map[string]int{}
	for what, count := range done {
		if rest, found := strings.CutPrefix(what, prefix); found {
			some[rest] = count
		}
	}
	return churn.Counted(some)
}
