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
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// simulated is the scheduler as a simulation asks it.
type simulated struct {
	*scheduler
	m *cluster.Simulation
}

// simulateAll asks upstream at each of Winnow's attempts, and then does what Winnow did.
func simulateAll(preempts bool) func(answer.Directory, *scheduler, []*v1.Pod) error {
	return func(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
		var placed []*v1.Pod
		known, _ := s.known.Core().V1().Pods().Lister().List(cluster.Everything)
		for _, pod := range known {
			if pod.Spec.NodeName != "" {
				placed = append(placed, pod)
			}
		}
		m := &cluster.Simulation{Known: s.known, Volumes: &volumes, Preempts: preempts}
		m.Upstream = simulated{s, m}
		return m.Follow(dir, placed, pods)
	}
}

func (s simulated) logger() klog.Logger { return klog.FromContext(s.ctx) }

func (s simulated) Explain(pod *v1.Pod) *answer.Explanation {
	return explain(s.scheduler, pod).Explanation
}
func (s simulated) Preempt(pod *v1.Pod) *answer.Preemption { return preempt(s.scheduler, pod) }
func (s simulated) AddPod(pod *v1.Pod) error               { return s.upstream.Cache.AddPod(s.logger(), pod) }
func (s simulated) RemovePod(pod *v1.Pod) error            { return s.upstream.Cache.RemovePod(s.logger(), pod) }
func (s simulated) PodsOf(node string) []*v1.Pod           { return podsOf(s.info(node)) }
func (s simulated) TakeSnapshot() error                    { return s.takeSnapshot() }

// Choose asks upstream's own SchedulePod.
func (s simulated) Choose(pod *v1.Pod) (choice answer.Choice, skipped string, _ *answer.Explanation) {
	e := explain(s.scheduler, pod)
	if e.Panic != "" || e.Ambiguous {
		return answer.Choice{Best: []string{}}, answer.SeveralAnswers, e.Explanation
	}
	choice = answer.ChoiceOf(e.Explanation)
	if e.p == nil {
		return choice, "", e.Explanation
	}
	if e.Error != "" && e.mayStopBefore() {
		return choice, "upstream may stop before the error", e.Explanation
	}
	if err := prove(e); err != nil {
		return choice, "unproven: " + err.Error(), e.Explanation
	}
	if node := e.Node(pod.Status.NominatedNodeName); node != nil && node.Fits {
		choice = answer.Choice{Feasible: 1, Best: []string{node.Name}} // Upstream tries it first, and alone.
	}
	info, _ := framework.NewPodInfo(pod)
	result, err := s.upstream.SchedulePod(s.ctx, e.p.framework, framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
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
	return choice, skipped, e.Explanation
}

// ChooseAfter: upstream nominates the node for the pod.
func (s simulated) ChooseAfter(pod *v1.Pod, node string) (answer.Choice, string, *answer.Explanation) {
	nominated := pod.DeepCopy()
	nominated.Status.NominatedNodeName = node
	return s.Choose(nominated)
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

// Assume is assumeAndReserve of schedule_one.go, and the watch's news of it. What DynamicResources reserves comes with the news.
func (s simulated) Assume(pod, assumed *v1.Pod, attempt answer.Attempt, one *answer.Simulated) error {
	found, state := s.m.DrawAs(pod, attempt, one)
	drawn, _ := state.(fwk.CycleState)
	if drawn == nil {
		drawn = s.drawDevices(pod, attempt.Node)
	}
	if err := s.upstream.Cache.AssumePod(s.logger(), assumed); err != nil {
		return err
	}
	s.upstream.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	if state != nil {
		if err := s.reserveVolumes(state.(fwk.CycleState), assumed, attempt.Node); err != nil {
			return err
		}
	}
	if drawn != nil {
		if err := s.takeDevices(pod, devicesOn(drawn, attempt.Node)); err != nil {
			return err
		}
	}
	if err := s.m.Publish(pod.Namespace, found, attempt.Node); err != nil {
		return err
	}
	return s.AddPod(assumed)
}
