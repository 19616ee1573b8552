package held

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

const (
	firstNode    = "node-0000"
	lateClass    = "exhausted"
	selectedNode = "volume.kubernetes.io/selected-node"
)

// refusedVolume: a provisioner has no room on the node, and gives the claim back, again and again.
func refusedVolume() Kind {
	here := cluster.NodeSelector(cluster.Hostname, firstNode)
	return Kind{
		Name:    "storage exhausted",
		Prepare: func(s *Stage) error { return s.AddLateClass(s.Ctx, lateClass, "e2e.example/by-hand") },
		Before: func(s *Stage, prefix string) error {
			return s.AddClaim(s.Ctx, cluster.Claim(prefix+"-claim", cluster.OfClass(lateClass)))
		},
		Unplaced: func(prefix string) []*v1.Pod {
			return []*v1.Pod{cluster.Pod(prefix+"-unplaced", cluster.Claims(prefix+"-claim"), here, cluster.Requests("3500m", "1Gi"))}
		},
		Pause: 4 * time.Second, // By then it has failed twice, with the same words.
		Ordinary: func(prefix string) []*v1.Pod {
			return []*v1.Pod{cluster.Pod(prefix+"-ordinary", here, cluster.Requests("1", "1Gi"))}
		},
		Helper: giveBack,
		After:  func(s *Stage, prefix string) error { return s.RemoveClaim(s.Ctx, prefix+"-claim") },
	}
}

// giveBack takes back the node that kube-scheduler has selected for the claim, as a provisioner without room does.
func giveBack(s *Stage, prefix string) (stop func()) {
	ctx, cancel := context.WithCancel(s.Ctx)
	done := make(chan bool)
	claims := s.Client.CoreV1().PersistentVolumeClaims(cluster.Namespace)
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
			claim, err := claims.Get(ctx, prefix+"-claim", meta.GetOptions{})
			if err == nil && claim.Annotations[selectedNode] != "" {
				delete(claim.Annotations, selectedNode)
				claims.Update(ctx, claim, meta.UpdateOptions{}) // In vain where it has changed: the next look does it.
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func gang(least int32) func(s *Stage, prefix string) error {
	return func(s *Stage, prefix string) error { return s.AddGang(s.Ctx, prefix+"-gang", least) }
}

// fewPods: the group has fewer pods than it must have.
func fewPods() Kind {
	return Kind{
		Name: "an incomplete gang", PodGroups: true,
		Before:   gang(Nodes + 1),
		Unplaced: func(prefix string) []*v1.Pod { return large(prefix, cluster.OfGang(prefix+"-gang")) },
		Pause:    settled, Ordinary: ordinary(8),
	}
}

// all pods of a gang that has room on two nodes more than there are.
func tooMany(prefix string) []*v1.Pod {
	return cluster.Pods(prefix+"-unplaced", Nodes+2, cluster.OfGang(prefix+"-gang"), cluster.Requests("3", "1Gi"))
}

// largeGang: the group is whole, and there is no room for it as a whole.
func largeGang() Kind {
	return Kind{
		Name: "a gang that is too large", PodGroups: true,
		Before:   gang(Nodes + 2),
		Unplaced: tooMany,
		Pause:    4 * time.Second, Ordinary: ordinary(8),
	}
}

// roomForGang: then nodes come, and the whole group has room.
func roomForGang() Kind {
	more := func(prefix string) []*v1.Node {
		return []*v1.Node{cluster.Node(prefix+"-a", "zone-0"), cluster.Node(prefix+"-b", "zone-1")}
	}
	return Kind{
		Name: "room for a gang", PodGroups: true,
		Before:   gang(Nodes + 2),
		Unplaced: tooMany,
		Pause:    4 * time.Second,
		Room:     func(s *Stage, prefix string) error { return s.AddNodes(s.Ctx, more(prefix)) },
		After: func(s *Stage, prefix string) error {
			for _, node := range more(prefix) {
				if err := s.Client.CoreV1().Nodes().Delete(s.Ctx, node.Name, meta.DeleteOptions{}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
