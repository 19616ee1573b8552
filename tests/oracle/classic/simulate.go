package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
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
		m := &simulation{scheduler: s, preempts: preempts, waiting: map[string]*v1.Pod{}, placed: map[string]*v1.Pod{},
			first: map[string]*answer.Explanation{}}
		m.versionVolumes()
		placed, err := s.config.SchedulerCache.List(everything)
		if err != nil {
			return err
		}
		for _, pod := range placed {
			m.placed[nameOf(pod)] = pod
		}
		for _, pod := range pods {
			m.waiting[nameOf(pod)] = pod
			m.first[nameOf(pod)] = explain(s, pod)
		}
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
		one.Compare(first, e)
	}
	if m.preempts && skipped == "" && choice.Feasible == 0 {
		one.Preemption = preempt(m.scheduler, pod)
	}
	if len(attempt.Victims) > 0 {
		if err := m.evict(pod, attempt); err != nil {
			return nil, err
		}
		after, skipped, _ := m.choose(pod)
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

// choose asks upstream's own Schedule(), and every rule about every node for the nodes that are as good as its choice.
func (m *simulation) choose(pod *v1.Pod) (choice answer.Choice, skipped string, e *answer.Explanation) {
	e = explain(m.scheduler, pod)
	if e.Panic != "" || e.Ambiguous {
		return answer.Choice{Best: []string{}}, "what upstream says of this pod is one of several answers", e
	}
	choice = answer.ChoiceOf(e)
	if err := prove(m.scheduler, pod, e); err != nil {
		return choice, "unproven: " + err.Error(), e
	}
	if _, err := m.algorithm.Schedule(pod, framework.NewPluginContext()); err != nil {
		if _, ok := err.(*core.FitError); ok || err == core.ErrNoNodesAvailable || choice.Message == "" {
			choice.Message = err.Error()
		}
	}
	return choice, "", e
}

// place is what follows upstream's Schedule() in scheduleOne, and the watch's news of it.
func (m *simulation) place(pod *v1.Pod, attempt answer.Attempt, one *answer.Simulated) error {
	if err := m.reserve(pod, attempt, one); err != nil {
		return err
	}
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName, assumed.Status.NominatedNodeName = attempt.Node, ""
	if err := m.config.SchedulerCache.AssumePod(assumed); err != nil {
		return err
	}
	m.config.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	if err := m.config.SchedulerCache.AddPod(assumed); err != nil {
		return err
	}
	delete(m.waiting, attempt.Pod)
	m.placed[attempt.Pod] = assumed
	return m.putInOrder(attempt.Node)
}
