package usage

import (
	"math"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func podOf(name, node, cpu string) *v1.Pod {
	requests := v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}
	return &v1.Pod{
		ObjectMeta: meta.ObjectMeta{Name: name, UID: types.UID(name)},
		Spec: v1.PodSpec{NodeName: node,
			Containers: []v1.Container{{Resources: v1.ResourceRequirements{Requests: requests}}}},
	}
}

// lowest tries all assignments.
func lowest(nodes []Node, pods []float64) float64 {
	if len(pods) == 0 {
		highest := 0.0
		for _, node := range nodes {
			highest = max(highest, node.Base/node.Cores)
		}
		return highest
	}
	best := math.Inf(1)
	for i := range nodes {
		nodes[i].Base += pods[0]
		best = min(best, lowest(nodes, pods[1:]))
		nodes[i].Base -= pods[0]
	}
	return best
}

func TestNoAssignmentIsBelowTheBest(t *testing.T) {
	for _, row := range []struct {
		nodes []Node
		pods  []float64
		want  float64
	}{
		{[]Node{{4, 1}, {4, 2}}, []float64{1, 1, 1}, 0.75},        // All as full as each other.
		{[]Node{{4, 3.8}, {4, 0}}, []float64{1, 1}, 0.95},         // The busiest is above the water.
		{[]Node{{4, 1}, {8, 1}}, []float64{0.5, 2, 2.5}, 7. / 12}, // Unlike nodes.
		{[]Node{{4, 1}, {4, 1}}, nil, 0.25},
	} {
		got := Best(row.nodes, row.pods)
		if math.Abs(got-row.want) > 1e-9 {
			t.Errorf("%v with %v: %v, expected %v", row.nodes, row.pods, got, row.want)
		}
		if least := lowest(row.nodes, row.pods); least < got-1e-9 {
			t.Errorf("%v with %v: an assignment has %v, below %v", row.nodes, row.pods, least, got)
		}
	}
}

func TestWhatIsMeasured(t *testing.T) {
	truth := NewTruth(map[string]Node{"a": {4, 1}, "b": {4, 3.9}})
	begin := time.Unix(1000, 0)
	first, second := podOf("x", "a", "1"), podOf("y", "b", "1")
	truth.runs(first, begin)
	truth.runs(second, begin)
	for _, row := range []struct {
		from, to time.Duration
		want     float64 // Of what the first pod uses.
	}{
		{-2 * time.Second, 0, 0},
		{0, warmUp, 0},
		{0, 2 * warmUp, 0.5},
		{warmUp, 2 * warmUp, 1},
	} {
		got := truth.measured(begin.Add(row.from), begin.Add(row.to))
		if want := 1 + row.want*Cores(first); math.Abs(got["a"]-want) > 1e-9 {
			t.Errorf("from %v to %v node a uses %v, expected %v", row.from, row.to, got["a"], want)
		}
	}
	if got := truth.measured(begin.Add(time.Minute), begin.Add(time.Hour)); got["b"] != 4 {
		t.Errorf("a node of 4 cores uses %v", got["b"])
	}
	if got := truth.Loads([]*v1.Pod{first, second}); got["b"] != (3.9+Cores(second))/4 {
		t.Errorf("of node b is wanted %v", got["b"])
	}
	truth.keep(map[types.UID]bool{second.UID: true})
	if got := truth.measured(begin.Add(time.Minute), begin.Add(time.Hour)); got["a"] != 1 {
		t.Errorf("a pod that is gone still uses something: %v", got["a"])
	}
}
