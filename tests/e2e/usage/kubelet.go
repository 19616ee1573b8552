package usage

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Kubelet has bound pods run: half a second to one and a half after it has seen them. It says so in their statuses, as
// kubelet does.
type Kubelet struct {
	truth  *Truth
	client kubernetes.Interface
	pods   func() []*v1.Pod
	due    map[types.UID]time.Time // When a pod begins to run.
	stop   chan struct{}
	done   sync.WaitGroup
}

// StartKubelet runs it until Stop. Pods gives those that are there.
func StartKubelet(truth *Truth, client kubernetes.Interface, pods func() []*v1.Pod) *Kubelet {
	k := &Kubelet{truth: truth, client: client, pods: pods, due: map[types.UID]time.Time{}, stop: make(chan struct{})}
	k.done.Go(k.run)
	return k
}

// Stop returns when nothing is written any more.
func (k *Kubelet) Stop() {
	close(k.stop)
	k.done.Wait()
}

func (k *Kubelet) run() {
	for {
		select {
		case <-k.stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
		k.look(time.Now())
	}
}

// look starts the pods whose time has come.
func (k *Kubelet) look(now time.Time) {
	there := map[types.UID]bool{}
	for _, pod := range k.pods() {
		if pod.Spec.NodeName == "" {
			continue
		}
		there[pod.UID] = true
		due, seen := k.due[pod.UID]
		switch {
		case !seen:
			k.due[pod.UID] = now.Add(time.Duration(500+draw(pod.Name, 1000)) * time.Millisecond)
		case !due.IsZero() && now.After(due):
			k.due[pod.UID] = time.Time{} // It runs.
			k.truth.runs(pod, now)
			k.done.Go(func() { k.tell(pod, now) })
		}
	}
	k.truth.keep(there)
}

// tell writes the pod's status. A pod that is deleted meanwhile needs none.
func (k *Kubelet) tell(pod *v1.Pod, since time.Time) {
	started := meta.NewTime(since)
	status := map[string]any{"phase": v1.PodRunning, "startTime": started}
	var containers []v1.ContainerStatus
	for _, container := range pod.Spec.Containers {
		containers = append(containers, v1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true,
			State: v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: started}},
		})
	}
	status["containerStatuses"] = containers
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		panic(fmt.Errorf("a pod's status: %w", err))
	}
	for range 3 {
		_, err = k.client.CoreV1().Pods(pod.Namespace).Patch(context.Background(), pod.Name, types.MergePatchType, patch,
			meta.PatchOptions{}, "status")
		if err == nil {
			return
		}
	}
}
