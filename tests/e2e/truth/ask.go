package truth

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

// Broken are the promises that were broken so far.
func (j *Judge) Broken() []string {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return append([]string(nil), j.broken...)
}

// Evicted counts the pods that were preempted.
func (j *Judge) Evicted() int {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.evicted
}

// Expect that the pod of the UID is deleted.
func (j *Judge) Expect(uid string) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.asked[uid] = true
}

// Lives of all pods that were ever there. Of those that are gone the spec is, too.
func (j *Judge) Lives() []Life {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	all := append([]Life(nil), j.ended...)
	for _, life := range j.pods {
		all = append(all, *life)
	}
	return all
}

// Pods that are there.
func (j *Judge) Pods() (all []Life) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for _, life := range j.pods {
		all = append(all, *life)
	}
	return all
}

// Pod of a key, nil where there is none.
func (j *Judge) Pod(key string) *v1.Pod {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if life := j.pods[key]; life != nil {
		return life.Pod
	}
	return nil
}

// Nodes that are there.
func (j *Judge) Nodes() (all []*v1.Node) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for name, versions := range j.nodes {
		if j.there(name) {
			all = append(all, versions[len(versions)-1].node)
		}
	}
	return all
}

// Stray are the pods of nodes that have been gone for a while.
func (j *Judge) Stray(now time.Time, after time.Duration) (pods []*v1.Pod) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for _, life := range j.pods {
		if node := life.Pod.Spec.NodeName; node != "" && j.goneFor(node, now) >= after {
			pods = append(pods, life.Pod)
		}
	}
	return pods
}

func (j *Judge) goneFor(node string, now time.Time) time.Duration {
	versions := j.nodes[node]
	if len(versions) == 0 {
		return time.Hour
	}
	if until := versions[len(versions)-1].until; !until.IsZero() {
		return now.Sub(until)
	}
	return 0
}

// Load is the part of all nodes' cpu that bound pods ask for.
func (j *Judge) Load() float64 {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	asked, there := int64(0), int64(0)
	for node, versions := range j.nodes {
		if j.there(node) {
			has := versions[len(versions)-1].node.Status.Allocatable[v1.ResourceCPU]
			there += has.MilliValue()
			for _, pod := range j.onNode[node] {
				asked += asks(pod, v1.ResourceCPU)
			}
		}
	}
	return float64(asked) / float64(max(1, there))
}
