// Package usage is what pods really use: a stand-in for kubelet that has them run, a metrics API that tells what is used,
// and the best that anybody could do.
package usage

import (
	"hash/fnv"
	"math"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// warmUp is how long a pod that runs uses nothing.
const warmUp = time.Second

// Node is a machine, and what it uses without the pods of a scenario.
type Node struct{ Cores, Base float64 }

// Truth knows what all nodes and pods use at any time. A pod uses nothing until it is warm, then always the same.
type Truth struct {
	nodes map[string]Node

	mutex sync.Mutex
	pods  map[types.UID]used
}

type used struct {
	node  string
	cores float64
	since time.Time
}

// NewTruth has those nodes, by name.
func NewTruth(nodes map[string]Node) *Truth {
	return &Truth{nodes: nodes, pods: map[types.UID]used{}}
}

// Cores is what a pod uses when it is warm: nine, ten or eleven tenths of what it requests, by its name.
func Cores(pod *v1.Pod) (cores float64) {
	for _, container := range pod.Spec.Containers {
		cores += container.Resources.Requests.Cpu().AsApproximateFloat64()
	}
	return cores * (0.9 + 0.1*float64(draw(pod.Name, 3)))
}

// draw is a number below the count, always the same for a name.
func draw(name string, count uint32) uint32 {
	hash := fnv.New32a()
	hash.Write([]byte(name))
	return hash.Sum32() >> 8 % count
}

// runs says that a pod runs since that time.
func (t *Truth) runs(pod *v1.Pod, since time.Time) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.pods[pod.UID] = used{pod.Spec.NodeName, Cores(pod), since.Add(warmUp)}
}

// keep forgets all other pods.
func (t *Truth) keep(there map[types.UID]bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for uid := range t.pods {
		if !there[uid] {
			delete(t.pods, uid)
		}
	}
}

// measured gives the cores that each node has used on average from one time to another, as its kernel counts them: no node
// uses more than it has.
func (t *Truth) measured(from, to time.Time) map[string]float64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	all := map[string]float64{}
	for name, node := range t.nodes {
		all[name] = node.Base
	}
	for _, pod := range t.pods {
		warm := to.Sub(pod.since).Seconds() / to.Sub(from).Seconds()
		all[pod.node] += pod.cores * min(1, max(0, warm))
	}
	for name, node := range t.nodes {
		all[name] = min(all[name], node.Cores)
	}
	return all
}

// Loads gives for each node the share of it that is wanted when all of the pods are warm; it may be above 1.
func (t *Truth) Loads(pods []*v1.Pod) map[string]float64 {
	loads := map[string]float64{}
	for name, node := range t.nodes {
		loads[name] = node.Base / node.Cores
	}
	for _, pod := range pods {
		if node, known := t.nodes[pod.Spec.NodeName]; known {
			loads[pod.Spec.NodeName] += Cores(pod) / node.Cores
		}
	}
	return loads
}

// Best is a load below which no assignment of the pods to those nodes has its highest load: that of water that is poured
// over the nodes, or what the busiest node has without it.
func Best(nodes []Node, pods []float64) float64 {
	water, low, high := 0.0, 0.0, 0.0
	for _, cores := range pods {
		water += cores
	}
	for _, node := range nodes {
		low = max(low, node.Base/node.Cores)
		high = max(high, (node.Base+water)/node.Cores)
	}
	for range 60 {
		level, room := (low+high)/2, 0.0
		for _, node := range nodes {
			room += math.Max(0, level*node.Cores-node.Base)
		}
		if room < water {
			low = level
		} else {
			high = level
		}
	}
	return low
}
