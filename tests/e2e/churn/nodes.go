package churn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

// sizes of nodes: one is full of cpu first, one of pods, one of memory.
var sizes = [][3]string{{"4", "16Gi", "110"}, {"8", "32Gi", "16"}, {"12", "12Gi", "110"}}

// node of a name, which says in which of three zones it is.
func (l *Load) node(random *rand.Rand, name string) *v1.Node {
	size, disk := sizes[random.IntN(len(sizes))], []string{"ssd", "hdd"}[random.IntN(2)]
	var number int
	fmt.Sscanf(name, "node-%d", &number)
	return cluster.Node(name, fmt.Sprintf("zone-%d", number%3), cluster.Allocatable(size[0], size[1], size[2]), cluster.NodeLabelled("disk", disk))
}

const (
	nodeTurns   = 1500 * time.Millisecond
	fewestNodes = 95
	mostNodes   = 105
	mostClosed  = 8 // Cordoned at the same time.
)

// changeNodes adds a node, removes one, closes or opens one, changes its label or its size: one in each turn.
func (l *Load) changeNodes(ctx context.Context) {
	random := rand.New(rand.NewPCG(l.Seed, 13))
	for wait(ctx, nodeTurns) {
		nodes := l.Judge.Nodes()
		if len(nodes) == 0 {
			continue
		}
		node := nodes[random.IntN(len(nodes))].DeepCopy()
		within, cancel := context.WithTimeout(ctx, 5*time.Second)
		if l.changeNode(within, random, nodes, node) == nil {
			l.NodeTurns.Add(1)
		}
		cancel()
	}
}

func (l *Load) changeNode(ctx context.Context, random *rand.Rand, nodes []*v1.Node, node *v1.Node) (err error) {
	api := l.Cluster.Client.CoreV1().Nodes()
	switch draw := random.IntN(6); {
	case len(nodes) < fewestNodes || draw == 0 && len(nodes) < mostNodes:
		_, err = api.Create(ctx, l.node(random, l.newName(random)), meta.CreateOptions{})
	case draw <= 1:
		if err = api.Delete(ctx, node.Name, meta.DeleteOptions{}); err == nil {
			l.removed = append(l.removed, node.Name)
		}
	case draw == 2 && closed(nodes) < mostClosed:
		node.Spec.Unschedulable = true
		_, err = api.Update(ctx, node, meta.UpdateOptions{})
	case draw <= 3:
		for _, node := range nodes {
			if node.Spec.Unschedulable {
				node = node.DeepCopy()
				node.Spec.Unschedulable = false
				_, err = api.Update(ctx, node, meta.UpdateOptions{})
				break
			}
		}
	case draw == 4:
		node.Labels["disk"] = map[string]string{"ssd": "hdd", "hdd": "ssd"}[node.Labels["disk"]]
		_, err = api.Update(ctx, node, meta.UpdateOptions{})
	default:
		size := sizes[random.IntN(len(sizes))]
		node.Status.Allocatable = cluster.Resources(size[0], size[1], size[2])
		node.Status.Capacity = node.Status.Allocatable
		_, err = api.UpdateStatus(ctx, node, meta.UpdateOptions{})
	}
	return err
}

func closed(nodes []*v1.Node) (count int) {
	for _, node := range nodes {
		if node.Spec.Unschedulable {
			count++
		}
	}
	return count
}

// newName is one that was never there, or that of a node that is gone.
func (l *Load) newName(random *rand.Rand) string {
	if count := len(l.removed); count > 0 && random.IntN(3) == 0 {
		name := l.removed[count-1]
		l.removed = l.removed[:count-1]
		return name
	}
	l.nodes++
	return fmt.Sprintf("node-%04d", l.nodes)
}
