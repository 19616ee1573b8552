package cluster

import (
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"winnow.test/oracle/common/answer"
)

// Everything selects all that a lister lists.
var Everything = labels.Everything()

// Upstream is one release's scheduler, as a simulation asks it.
type Upstream interface {
	Explain(pod *v1.Pod) *answer.Explanation
	// Choose asks the release's own method, and every rule about every node for the nodes that are as good as its choice.
	Choose(pod *v1.Pod) (choice answer.Choice, skipped string, e *answer.Explanation)
	// ChooseAfter is Choose when the victims have left this node.
	ChooseAfter(pod *v1.Pod, node string) (choice answer.Choice, skipped string, e *answer.Explanation)
	Preempt(pod *v1.Pod) *answer.Preemption

	// Allow lets the budgets allow so many disruptions.
	Allow(budgets map[string]int32)
	// EndNominations ends those for the node that are of lower priority than the pod's.
	EndNominations(node string, pod *v1.Pod)
	// StatusAgain is that of a victim that its controller makes anew.
	StatusAgain(victim *v1.Pod) v1.PodStatus
	// Assume assumes that the pod is placed as Winnow did, and says the watch's news of it.
	Assume(pod, assumed *v1.Pod, attempt answer.Attempt, one *answer.Simulated) error

	BindsVolumes(pod *v1.Pod) bool
	// Draw lets the volume binder find volumes once more. No state: it had nothing to find, or the pod does not fit there.
	Draw(pod *v1.Pod, node string) (found answer.Bindings, state interface{})
	// InformerOf is the one of the object's kind.
	InformerOf(object interface{}) *Informer

	// Of the cache.
	AddPod(pod *v1.Pod) error
	RemovePod(pod *v1.Pod) error
	PodsOf(node string) []*v1.Pod
	TakeSnapshot() error
}

// Simulation is a cluster in which Winnow's attempts are followed.
type Simulation struct {
	Upstream
	Known    informers.SharedInformerFactory
	Volumes  *Volumes
	Preempts bool

	Waiting map[string]*v1.Pod // By namespace and name, as the next.
	placed  map[string]*v1.Pod
	first   map[string]*answer.Explanation // What upstream said before the first attempt.
}

// Follow asks upstream at each of Winnow's attempts, and then does what Winnow did.
func (m *Simulation) Follow(dir answer.Directory, placed, pods []*v1.Pod) error {
	attempts, err := dir.ReadAttempts()
	if err != nil {
		return err
	}
	m.Waiting, m.placed, m.first = map[string]*v1.Pod{}, map[string]*v1.Pod{}, map[string]*answer.Explanation{}
	m.versionVolumes()
	for _, pod := range placed {
		m.placed[NameOf(pod)] = pod
	}
	for _, pod := range pods {
		m.Waiting[NameOf(pod)] = pod
		m.first[NameOf(pod)] = m.Explain(pod)
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

func (m *Simulation) follow(attempt answer.Attempt) (*answer.Simulated, error) {
	pod := m.Waiting[attempt.Pod]
	if pod == nil {
		return nil, fmt.Errorf("it does not wait")
	}
	m.Allow(attempt.Budgets)
	one := &answer.Simulated{Pod: attempt.Pod}
	choice, skipped, e := m.Choose(pod)
	one.Choice, one.Skipped = choice, skipped
	if first := m.first[attempt.Pod]; first != nil && skipped == "" {
		one.Compare(first, e)
	}
	if m.Preempts && skipped == "" && choice.Feasible == 0 {
		one.Preemption = m.Preempt(pod)
	}
	if len(attempt.Victims) > 0 {
		node, err := m.evict(pod, attempt)
		if err != nil {
			return nil, err
		}
		after, skipped, _ := m.ChooseAfter(pod, node)
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

// evict makes the victims leave at once. Their controllers make them anew: they wait. On their node, which is returned, the
// nominations of lower priority than the pod's end.
func (m *Simulation) evict(pod *v1.Pod, attempt answer.Attempt) (node string, err error) {
	for _, name := range attempt.Victims {
		victim := m.placed[name]
		if victim == nil {
			return "", fmt.Errorf("its victim %s has no node", name)
		}
		node = victim.Spec.NodeName
		if err := m.RemovePod(victim); err != nil {
			return "", err
		}
		delete(m.placed, name)
		again := victim.DeepCopy()
		again.Spec.NodeName, again.Status = "", m.StatusAgain(victim)
		m.Waiting[name] = again
	}
	m.EndNominations(node, pod)
	return node, m.putInOrder(node)
}

func (m *Simulation) place(pod *v1.Pod, attempt answer.Attempt, one *answer.Simulated) error {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName, assumed.Status.NominatedNodeName = attempt.Node, ""
	if err := m.Assume(pod, assumed, attempt, one); err != nil {
		return err
	}
	delete(m.Waiting, attempt.Pod)
	m.placed[attempt.Pod] = assumed
	return m.putInOrder(attempt.Node)
}

// putInOrder lets the cache get the node's pods by namespace and name again: a pod that leaves or comes changes their order.
func (m *Simulation) putInOrder(node string) error {
	if err := m.TakeSnapshot(); err != nil || !m.Preempts {
		return err
	}
	pods := append([]*v1.Pod{}, m.PodsOf(node)...)
	sort.Slice(pods, func(i, j int) bool { return Before(pods[i], pods[j]) })
	for _, pod := range pods {
		if err := m.RemovePod(pod); err != nil {
			return err
		}
	}
	for _, pod := range pods {
		if err := m.AddPod(pod); err != nil {
			return err
		}
	}
	return m.TakeSnapshot()
}
