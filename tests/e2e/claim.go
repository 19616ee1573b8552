package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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
	t.lateClass("made")
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

// lateClass is a StorageClass of claims that wait for their first pod, and of a provisioner outside.
func (t *T) lateClass(name string) {
	late := storage.VolumeBindingWaitForFirstConsumer
	class := &storage.StorageClass{ObjectMeta: meta.ObjectMeta{Name: name}, Provisioner: "e2e.example/by-hand", VolumeBindingMode: &late}
	_, err := t.Client.StorageV1().StorageClasses().Create(t.Ctx, class, meta.CreateOptions{})
	t.must(err)
}

func (t *T) claim(name, class string) {
	_, err := t.Client.CoreV1().PersistentVolumeClaims(cluster.Namespace).Create(t.Ctx, &v1.PersistentVolumeClaim{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeClaimSpec{
			StorageClassName: &class, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			Resources: v1.VolumeResourceRequirements{Requests: storageOf("1Gi")}}}, meta.CreateOptions{})
	t.must(err)
}

func storageOf(size string) v1.ResourceList {
	return v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}
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
	volumes, claims := t.Client.CoreV1().PersistentVolumes(), t.Client.CoreV1().PersistentVolumeClaims(cluster.Namespace)
	volume := &v1.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: "made-for-" + claim.Name},
		Spec: v1.PersistentVolumeSpec{
			Capacity: storageOf("1Gi"), AccessModes: claim.Spec.AccessModes, StorageClassName: *claim.Spec.StorageClassName,
			ClaimRef:               &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeSource: v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: "/volume"}},
			NodeAffinity:           onlyOn(claim.Annotations[selectedNode]),
		},
	}
	if _, err := volumes.Create(ctx, volume, meta.CreateOptions{}); err != nil {
		return
	}
	claim.Spec.VolumeName = volume.Name
	claim.Annotations["pv.kubernetes.io/bind-completed"] = "yes"
	if claim, err := claims.Update(ctx, claim, meta.UpdateOptions{}); err == nil {
		claim.Status.Phase = v1.ClaimBound
		claims.UpdateStatus(ctx, claim, meta.UpdateOptions{})
	}
}

func onlyOn(node string) *v1.VolumeNodeAffinity {
	is := v1.NodeSelectorRequirement{Key: cluster.Hostname, Operator: v1.NodeSelectorOpIn, Values: []string{node}}
	terms := []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{is}}}
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms}}
}
