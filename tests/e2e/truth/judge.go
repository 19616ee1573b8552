package truth

import (
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

// Judge takes in changes, and says which bindings break a promise at the moment at which they take effect.
//
// A decision rests on what was known when it was made, and that may be older than the binding: nodes shrink, and pods
// are deleted. So a binding is broken only if it would have been so by all that was true since the moment that Since
// gives. What can only make more room, such as a pod that is deleted, never excuses.
type Judge struct {
	// Since gives the oldest moment that a decision may rest on if its binding is heard of now.
	Since func(now time.Time) time.Time

	mutex   sync.Mutex
	nodes   map[string][]version
	pods    map[string]*Life
	onNode  map[string]map[string]*v1.Pod
	strays  map[string]bool // Keys of pods whose node has been deleted.
	groups  map[string]*group
	asked   map[string]bool // UIDs of pods whose deletion was asked for.
	ended   []Life
	broken  []string
	evicted int
}

// version of a node; the last one is in force as long as until is zero.
type version struct {
	from, until time.Time
	node        *v1.Node
}

// Life of a pod.
type Life struct {
	Pod                     *v1.Pod
	Created, Bound, Deleted time.Time // Zero: not yet.
}

// New is a judge of an empty cluster.
func New(since func(time.Time) time.Time) *Judge {
	return &Judge{Since: since, nodes: map[string][]version{}, pods: map[string]*Life{},
		onNode: map[string]map[string]*v1.Pod{}, strays: map[string]bool{}, groups: map[string]*group{}, asked: map[string]bool{}}
}

// Take the next change.
func (j *Judge) Take(c Change) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	switch {
	case c.IsNode:
		j.takeNode(c)
	case c.Pod == nil:
		j.deleted(c)
	default:
		j.takePod(c)
	}
}

func (j *Judge) takeNode(c Change) {
	versions := j.nodes[c.Key]
	if count := len(versions); count > 0 && versions[count-1].until.IsZero() {
		versions[count-1].until = c.At
	}
	if c.Node == nil {
		j.strand(c)
	} else {
		versions = append(versions, version{from: c.At, node: c.Node})
	}
	since := j.Since(c.At)
	j.nodes[c.Key] = slices.DeleteFunc(versions, func(v version) bool { return !v.until.IsZero() && v.until.Before(since) })
}

// there says whether the node is.
func (j *Judge) there(node string) bool {
	versions := j.nodes[node]
	return len(versions) > 0 && versions[len(versions)-1].until.IsZero()
}

func (j *Judge) takePod(c Change) {
	life := j.pods[c.Key]
	if life == nil {
		life = &Life{Pod: &v1.Pod{}, Created: c.At}
		j.pods[c.Key] = life
		j.waiting(c.Pod, 1)
	}
	before := life.Pod.Spec.NodeName
	life.Pod = c.Pod
	if node := c.Pod.Spec.NodeName; before == "" && node != "" {
		life.Bound = c.At
		j.waiting(c.Pod, -1)
		j.judge(c.At, c.Pod)
		if j.onNode[node] == nil {
			j.onNode[node] = map[string]*v1.Pod{}
		}
		j.onNode[node][c.Key] = c.Pod
		j.arrives(c, c.Pod)
	} else if before != node {
		j.breaks("%s was on %s, and is on %q now", c.Key, before, node)
	}
}

func (j *Judge) deleted(c Change) {
	life := j.pods[c.Key]
	if life == nil {
		return
	}
	delete(j.pods, c.Key)
	life.Deleted = c.At
	name := meta.ObjectMeta{Name: life.Pod.Name, UID: life.Pod.UID, Labels: life.Pod.Labels}
	j.ended = append(j.ended, Life{&v1.Pod{ObjectMeta: name}, life.Created, life.Bound, c.At})
	if life.Bound.IsZero() {
		j.waiting(life.Pod, -1)
		j.goneUnbound(c.At, life.Pod)
	} else {
		delete(j.onNode[life.Pod.Spec.NodeName], c.Key)
		j.leaves(c, life.Pod)
	}
	uid := string(life.Pod.UID)
	switch {
	case j.asked[uid]:
		delete(j.asked, uid)
	case preempted(life.Pod):
		j.evicted++
	default:
		j.breaks("%s is lost: nobody has deleted it, and it was not preempted", c.Key)
	}
}

// preempted says whether kube-scheduler has marked the pod before it deleted it.
func preempted(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(condition v1.PodCondition) bool {
		return condition.Type == v1.DisruptionTarget && condition.Reason == v1.PodReasonPreemptionByScheduler
	})
}

// judge a binding, before the pod is counted on its node.
func (j *Judge) judge(now time.Time, pod *v1.Pod) {
	since := j.Since(now)
	versions := slices.DeleteFunc(slices.Clone(j.nodes[pod.Spec.NodeName]), func(v version) bool {
		return !v.until.IsZero() && v.until.Before(since)
	})
	if len(versions) == 0 {
		j.breaks("%s is bound to %s, which is no node", pod.Name, pod.Spec.NodeName)
		return
	}
	j.room(pod, versions)
	any := func(what string, holds func(*v1.Node) bool) {
		if !slices.ContainsFunc(versions, func(v version) bool { return holds(v.node) }) {
			j.breaks("%s is bound to %s, which %s", pod.Name, pod.Spec.NodeName, what)
		}
	}
	any("is cordoned", func(node *v1.Node) bool { return !node.Spec.Unschedulable })
	any("does not have the labels that the pod selects", func(node *v1.Node) bool {
		for key, value := range pod.Spec.NodeSelector {
			if node.Labels[key] != value {
				return false
			}
		}
		return true
	})
	j.apart(pod)
	j.even(since, pod)
}

// room: what the node's pods ask for, this one included, is at most what the node had.
func (j *Judge) room(pod *v1.Pod, versions []version) {
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourcePods} {
		sum, most := asks(pod, name), int64(0)
		for _, other := range j.onNode[pod.Spec.NodeName] {
			sum += asks(other, name)
		}
		for _, v := range versions {
			has := v.node.Status.Allocatable[name]
			most = max(most, has.MilliValue())
		}
		if sum > most {
			j.breaks("overcommitted: with %s the pods of %s ask for %d m of %s, which had at most %d m",
				pod.Name, pod.Spec.NodeName, sum, name, most)
		}
	}
}

// asks in thousandths.
func asks(pod *v1.Pod, name v1.ResourceName) int64 {
	if name == v1.ResourcePods {
		return 1000
	}
	asked := pod.Spec.Containers[0].Resources.Requests[name]
	return asked.MilliValue()
}

// apart: required anti-affinity, the pod's own and that of the pods that are there.
func (j *Judge) apart(pod *v1.Pod) {
	for _, pods := range j.onNode {
		for _, other := range pods {
			if j.tooNear(pod, other) || j.tooNear(other, pod) {
				j.breaks("%s is bound to %s, and must be apart from %s on %s",
					pod.Name, pod.Spec.NodeName, other.Name, other.Spec.NodeName)
				return
			}
		}
	}
}

func (j *Judge) tooNear(having, other *v1.Pod) bool {
	for _, term := range cluster.RequiredApart(having) {
		mine, its := j.label(having.Spec.NodeName, term.TopologyKey), j.label(other.Spec.NodeName, term.TopologyKey)
		if mine != "" && mine == its && cluster.Matches(term.LabelSelector, other) {
			return true
		}
	}
	return false
}

// label that the node has, or had at last.
func (j *Judge) label(node, key string) string {
	versions := j.nodes[node]
	if len(versions) == 0 {
		return ""
	}
	return versions[len(versions)-1].node.Labels[key]
}

func (j *Judge) breaks(format string, args ...any) {
	j.broken = append(j.broken, time.Now().UTC().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}
