package main

import (
	"net/http"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// filling are rules that fill one node after another: most nominations are for a node that is almost full.
const filling = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {multiPoint: {disabled: [{name: NodeResourcesBalancedAllocation}, {name: ImageLocality}]}}
  pluginConfig:
  - name: PodTopologySpread
    args: {defaultingType: List}
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
`

const (
	// takesOver: 20 s are promised of a replica whose leader has crashed. The rest is for a machine that is busy.
	takesOver = 25 * time.Second
	// waitsAtMost: 20 s until another replica leads, 10 s for a write that nobody answers, 10 s until a gate that has
	// stayed is tried again, 5 s between two looks, 2 s of kube-scheduler's back-off. The rest is for a machine that is
	// busy. An API server or kube-scheduler is away for less than that.
	waitsAtMost = 60 * time.Second
)

// nominateKills: two replicas of Winnow nominate beside a kube-scheduler that knows nothing of them. Pods come with the
// gate and without. Each API server, the replica that leads, and kube-scheduler are killed in turn, and come back. No pod
// is lost, none waits for long, and no node is ever overcommitted.
func nominateKills(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(120, 4)))
	t.start(filling)
	r := t.startReplicas()
	looks := t.look()
	gated, free := t.load("gated", 20, withGate(nominateGate)), t.load("free", 10)
	t.killServersInTurn()
	r.killLeader()
	time.Sleep(3 * time.Second)
	t.killScheduler()
	time.Sleep(3 * time.Second)
	t.allBound(gated()+free(), waitsAtMost)
	longest, pod := t.Watch.Longest()
	t.note("%d pods bound; the longest wait was %.1f s", t.Watch.Bound(), longest.Seconds())
	t.check(longest <= waitsAtMost, "%s has waited %v: %s", pod, longest, t.history(pod))
	_, broken := looks()
	t.promises(broken)
	t.check(r.leader() >= 0, "in the end not exactly one replica leads")
	for _, t.Winnow = range r.all {
		t.pictureIsTheCluster()
	}
}

// replicas are the two processes of manifests/nominator.yaml.
type replicas struct {
	t   *T
	all [2]*bed.WinnowProcess
}

// startReplicas starts another Winnow beside the one that runs, and returns when one of them leads.
func (t *T) startReplicas() *replicas {
	r := &replicas{t: t, all: [2]*bed.WinnowProcess{t.Winnow}}
	r.start(1, 0)
	t.later(func() {
		for _, replica := range r.all {
			replica.Stop()
		}
	})
	t.check(cluster.Until(takesOver, func() bool { return r.leader() >= 0 }), "no replica leads after %v", takesOver)
	return r
}

// start has the replica listen on the port (0: any). The second one's log has a name of its own.
func (r *replicas) start(number, port int) {
	story := r.t.Story
	defer func() { r.t.Story = story }()
	if number > 0 {
		r.t.Story += "second-"
	}
	r.t.runWinnow(r.t.user(), port, r.t.winnowFlags...)
	r.all[number] = r.t.Winnow
	r.t.must(r.t.Winnow.WaitReady())
}

// leader is the number of the one that leads, -1 while none does or both do.
func (r *replicas) leader() int {
	leader := -1
	for i, replica := range r.all {
		leads, err := bed.Metric(replica.URL, "winnow_leader")
		if err != nil || leads != 1 {
			continue
		}
		if leader >= 0 {
			return -1
		}
		leader = i
	}
	return leader
}

// killLeader has the other one take over, and starts the one that was killed again.
func (r *replicas) killLeader() {
	leader := r.leader()
	if !r.t.check(leader >= 0, "there is no leader to be killed") {
		return
	}
	port := r.all[leader].Port()
	r.all[leader].Kill()
	killed := time.Now()
	r.t.check(cluster.Until(takesOver, func() bool { return r.leader() == 1-leader }),
		"the other replica does not lead %v after the leader was killed", takesOver)
	r.t.note("the other replica leads after %.1f s, %d pods bound", time.Since(killed).Seconds(), r.t.Watch.Bound())
	r.start(leader, port)
}

// killScheduler starts it again four seconds later, and returns when it is ready.
func (t *T) killScheduler() {
	t.Scheduler.Kill()
	time.Sleep(4 * time.Second)
	t.must(t.Scheduler.Launch())
	ready := func() bool {
		code, _, err := bed.Get(t.Scheduler.URL + "/readyz")
		return err == nil && code == http.StatusOK
	}
	t.check(cluster.Until(30*time.Second, ready), "kube-scheduler is not ready 30 s after it was started again")
	t.note("kube-scheduler is back, %d pods bound", t.Watch.Bound())
}
