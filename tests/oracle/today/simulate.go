package main

import (
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/answer"
)

// simulation is a cluster in which Winnow's attempts are followed.
type simulation struct {
	*scheduler
	preempts bool
	waiting  map[string]*v1.Pod // By namespace and name, as the next.
	placed   map[string]*v1.Pod
	first    map[string]*answer.Explanation // What upstream said before the first attempt.
}

func nameOf(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

// simulateAll asks upstream at each of Winnow's attempts, and then does what Winnow did.
func simulateAll(preempts bool) func(answer.Directory, *scheduler, []*v1.Pod) error {
	return func(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
		attempts, err := dir.ReadAttempts()
		if err != nil {
			return err
		}
		m := newSimulation(s, pods, preempts)
		var simulated []*answer.Simulated
		for _, attempt := range attempts {
			one, err := m.follow(attempt)
			if err != nil {
				return fmt.Errorf("%s: %v", attempt.Pod, err)
			}
			simulated = append(simulated, one)
		}
		return dir.WriteSimulation(simulated)
	}
}

func newSimulation(s *scheduler, pods []*v1.Pod, preempts bool) *simulation {
	m := &simulation{scheduler: s, preempts: preempts, waiting: map[string]*v1.Pod{}, placed: map[string]*v1.Pod{},
		first: map[string]*answer.Explanation{}}
	m.versionVolumes()
	assigned, _ := s.known.Core().V1().Pods().Lister().List(everything)
	for _, pod := range assigned {
		if pod.Spec.NodeName != "" {
			m.placed[nameOf(pod)] = pod
		}
	}
	for _, pod := range pods {
		m.waiting[nameOf(pod)] = pod
		m.first[nameOf(pod)] = explain(s, pod).Explanation
	}
	return m
}

func (m *simulation) follow(attempt answer.Attempt) (*answer.Simulated, error) {
	pod := m.waiting[attempt.Pod]
	if pod == nil {
		return nil, fmt.Errorf("it does not wait")
	}
	m.setBudgets(attempt.Budgets)
	one := &answer.Simulated{Pod: attempt.Pod}
	choice, skipped, e := m.choose(pod)
	one.Choice, one.Skipped = choice, skipped
	if first := m.first[attempt.Pod]; first != nil && skipped == "" {
		one.Compare(first, e.Explanation)
	}
	if m.preempts && skipped == "" && choice.Feasible == 0 {
		one.Preemption = preempt(m.scheduler, pod)
	}
	if len(attempt.Victims) > 0 {
		node, err := m.evict(pod, attempt)
		if err != nil {
			return nil, err
		}
		nominated := pod.DeepCopy()
		nominated.Status.NominatedNodeName = node
		after, skipped, _ := m.choose(nominated)
		one.After = &after
		if one.Skipped == "" {
			one.Skipped = skipped
		}
	}
	if attempt.Node == "" {
		one.Claims = m.claimsOf(pod)
		return one, nil
	}
	return one, m.place(pod, attempt, one)
}

// choose asks upstream's own SchedulePod, and every plugin about every node for the nodes that are as good as its choice.
func (m *simulation) choose(pod *v1.Pod) (choice answer.Choice, skipped string, e *explanation) {
	e = explain(m.scheduler, pod)
	if e.Panic != "" || e.Ambiguous {
		return answer.Choice{Best: []string{}}, "what upstream says of this pod is one of several answers", e
	}
	choice = answer.ChoiceOf(e.Explanation)
	if e.p == nil {
		return choice, "", e
	}
	if e.Error != "" && e.mayStopBefore() {
		return choice, "upstream may stop before the error", e
	}
	if err := prove(e); err != nil {
		return choice, "unproven: " + err.Error(), e
	}
	if node := e.Node(pod.Status.NominatedNodeName); node != nil && node.Fits {
		choice = answer.Choice{Feasible: 1, Best: []string{node.Name}} // Upstream tries it first, and alone.
	}
	info, _ := framework.NewPodInfo(pod)
	result, err := m.upstream.SchedulePod(m.ctx, e.p.framework, framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
	var unfit *framework.FitError
	switch {
	case errors.As(err, &unfit) || errors.Is(err, upstream.ErrNoNodesAvailable):
		e.giveOwnReasons(unfit)
		choice.Message = err.Error()
		if choice.Feasible > 0 {
			skipped = "unproven: SchedulePod finds no node"
		}
	case err == nil && !slices.Contains(choice.Best, result.SuggestedHost):
		skipped = fmt.Sprintf("unproven: SchedulePod chooses %s, which is not among the best %v", result.SuggestedHost, choice.Best)
	}
	return choice, skipped, e
}

// giveOwnReasons: of a node that PreFilters leave out upstream names the plugins; Winnow gives the reason of the first.
func (e *explanation) giveOwnReasons(unfit *framework.FitError) {
	if unfit == nil || e.before.refusal != nil {
		return
	}
	for _, node := range e.Nodes {
		for _, entry := range node.Filters {
			if entry.Rule == node.Decides && !e.before.reaches(node.Name) {
				status := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, entry.Reasons...)
				unfit.Diagnosis.NodeToStatus.Set(node.Name, status)
			}
		}
	}
}

// place is assumeAndReserve of schedule_one.go, and the watch's news of it.
func (m *simulation) place(pod *v1.Pod, attempt answer.Attempt, one *answer.Simulated) error {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName, assumed.Status.NominatedNodeName = attempt.Node, ""
	logger := klog.FromContext(m.ctx)
	found, state := m.drawAs(pod, attempt, one)
	if err := m.upstream.Cache.AssumePod(logger, assumed); err != nil {
		return err
	}
	m.upstream.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	if state != nil {
		if status := m.profileOf(pod).framework.RunReservePluginsReserve(m.ctx, state, assumed, attempt.Node); !status.IsSuccess() {
			return status.AsError()
		}
	}
	if err := m.publish(pod.Namespace, found, attempt.Node); err != nil {
		return err
	}
	if err := m.upstream.Cache.AddPod(logger, assumed); err != nil {
		return err
	}
	delete(m.waiting, attempt.Pod)
	m.placed[attempt.Pod] = assumed
	return m.putInOrder(attempt.Node)
}
