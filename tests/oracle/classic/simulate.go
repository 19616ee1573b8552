package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/util"
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
		placed, err := s.config.SchedulerCache.List(cluster.Everything)
		if err != nil {
			return err
		}
		m := &cluster.Simulation{Known: s.known, Volumes: &volumes, Preempts: preempts}
		m.Upstream = simulated{s, m}
		return m.Follow(dir, placed, pods)
	}
}

func (s simulated) Explain(pod *v1.Pod) *answer.Explanation { return explain(s.scheduler, pod) }
func (s simulated) Preempt(pod *v1.Pod) *answer.Preemption  { return preempt(s.scheduler, pod) }
func (s simulated) AddPod(pod *v1.Pod) error                { return s.config.SchedulerCache.AddPod(pod) }
func (s simulated) RemovePod(pod *v1.Pod) error             { return s.config.SchedulerCache.RemovePod(pod) }
func (s simulated) PodsOf(node string) []*v1.Pod            { return s.infos[node].Pods() }
func (s simulated) TakeSnapshot() error                     { return s.takeSnapshot() }

// Choose asks upstream's own Schedule().
func (s simulated) Choose(pod *v1.Pod) (choice answer.Choice, skipped string, e *answer.Explanation) {
	e = explain(s.scheduler, pod)
	if e.Panic != "" || e.Ambiguous {
		return answer.Choice{Best: []string{}}, answer.SeveralAnswers, e
	}
	choice = answer.ChoiceOf(e)
	if err := prove(s.scheduler, pod, e); err != nil {
		return choice, "unproven: " + err.Error(), e
	}
	if _, err := s.algorithm.Schedule(pod, framework.NewPluginContext()); err != nil {
		if _, ok := err.(*core.FitError); ok || err == core.ErrNoNodesAvailable || choice.Message == "" {
			choice.Message = err.Error()
		}
	}
	return choice, "", e
}

func (s simulated) ChooseAfter(pod *v1.Pod, _ string) (answer.Choice, string, *answer.Explanation) {
	return s.Choose(pod)
}

func (s simulated) Allow(allowed map[string]int32) {
	budgets, _ := s.known.Policy().V1beta1().PodDisruptionBudgets().Lister().List(cluster.Everything)
	for _, budget := range budgets {
		if n, ok := allowed[budget.Namespace+"/"+budget.Name]; ok && n != budget.Status.PodDisruptionsAllowed {
			changed := budget.DeepCopy()
			changed.Status.PodDisruptionsAllowed = n
			s.InformerOf(changed).Change(changed)
		}
	}
}

func (s simulated) StatusAgain(*v1.Pod) v1.PodStatus { return v1.PodStatus{} }

func (s simulated) EndNominations(node string, pod *v1.Pod) {
	for _, other := range append([]*v1.Pod{}, s.nominated(node)...) { // The queue's own list, which becomes shorter.
		if util.GetPodPriority(other) < util.GetPodPriority(pod) {
			s.config.SchedulingQueue.DeleteNominatedPodIfExists(other)
			other.Status.NominatedNodeName = ""
		}
	}
}

// Assume is what follows upstream's Schedule() in scheduleOne: of volumes by upstream's own AssumePodVolumes, and by what the
// API server and the volume controller make of it.
func (s simulated) Assume(pod, assumed *v1.Pod, attempt answer.Attempt, one *answer.Simulated) error {
	found, state := s.m.DrawAs(pod, attempt, one)
	if state != nil {
		if _, err := s.config.VolumeBinder.Binder.AssumePodVolumes(pod.DeepCopy(), attempt.Node); err != nil {
			return err
		}
	}
	if err := s.m.Publish(pod.Namespace, found, attempt.Node); err != nil {
		return err
	}
	if err := s.config.SchedulerCache.AssumePod(assumed); err != nil {
		return err
	}
	s.config.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	return s.config.SchedulerCache.AddPod(assumed)
}
