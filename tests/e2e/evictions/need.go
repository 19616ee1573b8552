// Package evictions has clusters in which a pod of high priority fits nowhere until pods of low priority go.
package evictions

import (
	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// need is one thing that keeps the high pod out of every node, as long as a low pod is there.
type need struct {
	name    string
	high    func(*v1.Pod)                        // What the high pod asks for.
	low     func(node string) func(*v1.Pod)      // Makes a pod the one that is in the way there.
	onFirst bool                                 // One such pod is in the way of all nodes: it is on the first.
	floor   bool                                 // A cordoned node without such a pod belongs to the picture.
	prepare func(s *Stage, nodes []string) error // What must be there; may be nil.
}

// The names of the needs.
const (
	CPU       = "cpu"
	Port      = "host port"
	Apart     = "anti-affinity"
	Avoided   = "existing pods' anti-affinity"
	Even      = "hard spread"
	OnePod    = "ReadWriteOncePod"
	FewVolume = "volume limits"
)

func needs() []need {
	return []need{
		{name: CPU, high: cluster.Requests("2", "1Gi"), low: everywhere(cluster.Requests("3", "1Gi"))},
		{name: Port, high: cluster.HostPort(8080), low: everywhere(cluster.HostPort(8080))},
		{name: Apart, high: cluster.Apart("app", "x", cluster.Hostname), low: everywhere(cluster.Labelled("app", "x"))},
		{name: Avoided, high: cluster.Labelled("app", "high"), low: everywhere(cluster.Apart("app", "high", cluster.Hostname))},
		{name: Even, high: even, low: everywhere(cluster.Labelled("even", "yes")), floor: true},
		onePod(),
		fewVolumes(),
	}
}

func everywhere(edit func(*v1.Pod)) func(string) func(*v1.Pod) {
	return func(string) func(*v1.Pod) { return edit }
}

// even: one more than on the floor is allowed, and every other node has that one already.
func even(pod *v1.Pod) {
	cluster.Labelled("even", "yes")(pod)
	cluster.Spread("even", "yes", cluster.Hostname, 1, v1.DoNotSchedule)(pod)
}
