package truth

import (
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

// group is what has one hard spread constraint: pods that have it are those that its selector has.
type group struct {
	domains map[string][]counted
	waiting int         // Pods without a node. Each may be on its way to any domain.
	strays  int         // Pods of nodes that were deleted: some may count them, until they are deleted too.
	gone    []time.Time // When pods of either kind were deleted.
}

// counted is how many of a domain's pods are bound from a moment on, and how many had ever been by then.
type counted struct {
	from        time.Time
	count, ever int
}

// hard gives the pod's hard spread constraint, of which it has one at most.
func hard(pod *v1.Pod) *v1.TopologySpreadConstraint {
	for i, constraint := range pod.Spec.TopologySpreadConstraints {
		if constraint.WhenUnsatisfiable == v1.DoNotSchedule && cluster.Matches(constraint.LabelSelector, pod) {
			return &pod.Spec.TopologySpreadConstraints[i]
		}
	}
	return nil
}

func (j *Judge) groupOf(pod *v1.Pod) *group {
	constraint := hard(pod)
	if constraint == nil {
		return nil
	}
	key := constraint.TopologyKey + " " + meta.FormatLabelSelector(constraint.LabelSelector)
	if j.groups[key] == nil {
		j.groups[key] = &group{domains: map[string][]counted{}}
	}
	return j.groups[key]
}

func (j *Judge) waiting(pod *v1.Pod, more int) {
	if g := j.groupOf(pod); g != nil {
		g.waiting += more
	}
}

func (j *Judge) goneUnbound(now time.Time, pod *v1.Pod) {
	if g := j.groupOf(pod); g != nil {
		g.gone = append(g.gone, now)
	}
}

func (j *Judge) count(now time.Time, pod *v1.Pod, more int) {
	g := j.groupOf(pod)
	if g == nil {
		return
	}
	domain := j.label(pod.Spec.NodeName, hard(pod).TopologyKey)
	since, counts := j.Since(now), g.domains[domain]
	for len(counts) > 1 && counts[1].from.Before(since) {
		counts = counts[1:]
	}
	g.domains[domain] = append(counts, counted{now, last(counts).count + more, last(counts).ever + max(0, more)})
}

// arrives at its node.
func (j *Judge) arrives(c Change, pod *v1.Pod) {
	if j.there(pod.Spec.NodeName) {
		j.count(c.At, pod, 1)
	} else {
		j.stray(c.Key, pod)
	}
}

// leaves its node, since it is deleted.
func (j *Judge) leaves(c Change, pod *v1.Pod) {
	if !j.strays[c.Key] {
		j.count(c.At, pod, -1)
		return
	}
	delete(j.strays, c.Key)
	if g := j.groupOf(pod); g != nil {
		g.strays--
		g.gone = append(g.gone, c.At)
	}
}

func (j *Judge) stray(key string, pod *v1.Pod) {
	j.strays[key] = true
	if g := j.groupOf(pod); g != nil {
		g.strays++
	}
}

// strand the pods of a node that is deleted: nobody counts them any more.
func (j *Judge) strand(c Change) {
	for key, pod := range j.onNode[c.Key] {
		if !j.strays[key] {
			j.count(c.At, pod, -1)
			j.stray(key, pod)
		}
	}
}

func last(counts []counted) counted {
	if len(counts) == 0 {
		return counted{}
	}
	return counts[len(counts)-1]
}

// most that somebody may have counted who has missed the deletions since that moment: what was there then, and what
// has come.
func most(counts []counted, since time.Time) int {
	at := counted{}
	for _, c := range counts {
		if c.from.After(since) {
			break
		}
		at = c
	}
	return at.count + last(counts).ever - at.ever
}

// even: the domain that the pod comes to has at most maxSkew pods more than the emptiest one. Whoever decided may have
// counted in a domain what was there or came since, and what was on its way: a pod that still waits, or was deleted meanwhile.
func (j *Judge) even(since time.Time, pod *v1.Pod) {
	g, constraint := j.groupOf(pod), hard(pod)
	if g == nil {
		return
	}
	underWay := g.waiting
	for len(g.gone) > 0 && g.gone[0].Before(since) {
		g.gone = g.gone[1:]
	}
	underWay += g.strays + len(g.gone)
	least := -1
	for domain := range j.domains(constraint.TopologyKey) {
		if has := most(g.domains[domain], since) + underWay; least < 0 || has < least {
			least = has
		}
	}
	mine := j.label(pod.Spec.NodeName, constraint.TopologyKey)
	if has := last(g.domains[mine]).count + 1; has-least > int(constraint.MaxSkew) {
		j.breaks("%s is number %d in %s, and every other place could have had %d", pod.Name, has, mine, least)
	}
}

func (j *Judge) domains(key string) map[string]bool {
	all := map[string]bool{}
	for name := range j.nodes {
		if j.there(name) {
			all[j.label(name, key)] = true
		}
	}
	return all
}
