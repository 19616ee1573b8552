package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// preemptAll is what follows upstream's SchedulePod for a pod that fits nowhere, up to the choice of a node: with all nodes
// tried, not a hundred from a random one on.
func preemptAll(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
	return dir.WritePreemptions(len(pods), func(i int) *answer.Preemption { return preempt(s, pods[i]) })
}

func preempt(s *scheduler, pod *v1.Pod) (p *answer.Preemption) {
	p = &answer.Preemption{Pod: cluster.NameOf(pod)}
	e := explain(s, pod)
	switch {
	case e.Panic != "" || e.Ambiguous:
		p.Skipped = answer.SeveralAnswers
		return p
	case e.p == nil:
		return p
	}
	defer func() {
		if cause := recover(); cause != nil {
			p = &answer.Preemption{Pod: p.Pod, Skipped: fmt.Sprint(cause)}
		}
	}()
	state := framework.NewCycleState()
	free := *pod // As prove() asks: upstream would try its nominated node first.
	free.Status.NominatedNodeName = ""
	info, _ := framework.NewPodInfo(&free)
	_, err := s.upstream.SchedulePod(s.ctx, e.p.framework, state, &framework.QueuedPodInfo{PodInfo: info})
	var unfit *framework.FitError
	if !errors.As(err, &unfit) {
		if p.Fits = err == nil; !p.Fits {
			p.Skipped = "upstream fails: " + err.Error()
		}
		return p
	}
	find(s, e, state, unfit, p)
	return p
}

// find is Evaluator.evaluate of framework/preemption/preemption.go.
func find(s *scheduler, e *explanation, state fwk.CycleState, unfit *framework.FitError, p *answer.Preemption) {
	plugin, err := defaultpreemption.New(s.ctx, &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 1},
		e.p.framework, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	if err != nil {
		panic(err)
	}
	statuses := unfit.Diagnosis.NodeToStatus
	if ok, message := plugin.PodEligibleToPreemptOthers(s.ctx, e.pod, statuses.Get(e.pod.Status.NominatedNodeName)); !ok {
		p.Message = message
		return
	}
	nodes, err := statuses.NodesForStatusCode(s.snapshot.NodeInfos(), fwk.Unschedulable)
	if err != nil {
		panic(err)
	}
	if len(nodes) == 0 {
		return
	}
	budgets, err := plugin.Evaluator.PdbLister.List(labels.Everything())
	if err != nil {
		panic(err)
	}
	candidates := dryRun(s.ctx, plugin, state, e.pod, nodes, budgets)
	for _, candidate := range candidates {
		if cluster.IsAnyOrder(podsOf(s.info(candidate.Name())), e.pod, corev1helpers.PodPriority, false) {
			*p = answer.Preemption{Pod: p.Pod, Skipped: answer.NoOrder}
			return
		}
		p.Nodes = append(p.Nodes, freed(e, candidate))
	}
	sort.Slice(p.Nodes, func(i, j int) bool { return p.Nodes[i].Name < p.Nodes[j].Name })
	p.Best = best(s.ctx, plugin, candidates)
}

func dryRun(ctx context.Context, plugin *defaultpreemption.DefaultPreemption, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo,
	budgets []*policy.PodDisruptionBudget) []preemption.Candidate {
	// Its error is that of some nodes; upstream goes on with the others.
	candidates, _, _ := plugin.Evaluator.DryRunPreemption(ctx, state, pod, nodes, budgets, 0, int32(len(nodes))+1)
	return candidates
}

func podsOf(info fwk.NodeInfo) (pods []*v1.Pod) {
	for _, pod := range info.GetPods() {
		pods = append(pods, pod.GetPod())
	}
	return pods
}

func freed(e *explanation, candidate preemption.Candidate) *answer.Freed {
	victims := candidate.Victims()
	return &answer.Freed{Name: candidate.Name(), Victims: cluster.NamesOf(victims.Pods), Violations: int(victims.NumPDBViolations),
		Turned: e.Node(candidate.Name()).Failed()}
}

// best are the nodes of which upstream's pickOneNodeForPreemption draws one.
func best(ctx context.Context, plugin *defaultpreemption.DefaultPreemption, candidates []preemption.Candidate) []string {
	byName, names := map[string]preemption.Candidate{}, []string{}
	for _, candidate := range candidates {
		byName[candidate.Name()] = candidate
		names = append(names, candidate.Name())
	}
	slices.Sort(names)
	return answer.Drawn(names, func(among []string) string {
		var some []preemption.Candidate
		for _, name := range among {
			some = append(some, byName[name])
		}
		return plugin.Evaluator.SelectCandidate(ctx, some).Name()
	})
}
