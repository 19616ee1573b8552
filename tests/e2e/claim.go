package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

const selectedNode = "volume.kubernetes.io/selected-node"

// refusedClaim: a claim that binds late, whose provisioner refuses the best node again and again. kube-scheduler
// cannot follow the one answer, and tells nobody; the pod must not be given the same node for ever.
func refusedClaim(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(3, 3)))
	for _, node := range []string{"node-0000", "node-0002"} { // So node-0001 is the best.
		t.add(cluster.Pod("busy-on-"+node, cluster.On(node), cluster.Requests("1", "1Gi")))
	}
	t.must(t.AddLateClass(t.Ctx, "made", "e2e.example/by-hand"))
	t.claim("data", "made")
	t.start(today)
	refused := t.provision("data", "node-0001")
	t.add(cluster.Pod("wants", cluster.Claims("data")))
	node := t.bound("wants", 40*time.Second)
	t.check(node == "node-0000" || node == "node-0002", "the pod is on %q: %s", node, t.history("wants"))
	times := refused()
	t.note("the provisioner refused node-0001 %d times", times)
	t.check(times >= 1 && times <= 3, "node-0001 was tried %d times", times)
	t.pictureIsTheCluster()
}

// claim makes one of the class, "" for none.
func (t *T) claim(name, class string) {
	t.must(t.AddClaim(t.Ctx, cluster.Claim(name, cluster.OfClass(class))))
}

// provision plays the provisioner of a claim (and the PV controller): it refuses one node, as one without room does,
// and makes a volume on any other. The function that it gives says how often it refused.
func (t *T) provision(claim, refuses string) func() int {
	ctx, cancel := context.WithCancel(t.Ctx)
	done := make(chan int)
	claims := t.Client.CoreV1().PersistentVolumeClaims(cluster.Namespace)
	go func() {
		refused := 0
		for ctx.Err() == nil {
			time.Sleep(50 * time.Millisecond)
			found, err := claims.Get(ctx, claim, meta.GetOptions{})
			if err != nil || found.Annotations[selectedNode] == "" || found.Spec.VolumeName != "" {
				continue
			}
			if found.Annotations[selectedNode] == refuses {
				delete(found.Annotations, selectedNode)
				if _, err := claims.Update(ctx, found, meta.UpdateOptions{}); err == nil {
					refused++
				}
				continue
			}
			t.makeVolume(ctx, found)
		}
		done <- refused
	}()
	return func() int {
		cancel()
		return <-done
	}
}

func (t *T) makeVolume(ctx context.Context, claim *v1.PersistentVolumeClaim) {
	volume := cluster.Volume("made-for-"+claim.Name, cluster.For(claim.Name), cluster.VolumeOfClass(*claim.Spec.StorageClassName),
		cluster.LocalOn(claim.Annotations[selectedNode]))
	volume.Spec.ClaimRef.UID = claim.UID
	if t.AddVolume(ctx, volume) == nil {
		t.CompleteClaim(ctx, claim.Name, volume.Name)
	}
}
