package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Cluster makes and deletes objects.
type Cluster struct {
	Client kubernetes.Interface
}

// creators is how many requests are under way at once.
const creators = 32

// AddNodes creates nodes, and waits for all.
func (c *Cluster) AddNodes(ctx context.Context, nodes []*v1.Node) error {
	return each(nodes, func(node *v1.Node) error {
		_, err := c.Client.CoreV1().Nodes().Create(ctx, node, meta.CreateOptions{})
		return err
	})
}

// AddPods creates pods as fast as it goes. What fails on the way to the server is tried again: an API server may just
// be killed.
func (c *Cluster) AddPods(ctx context.Context, pods []*v1.Pod) error {
	return each(pods, func(pod *v1.Pod) error { return c.addPod(ctx, pod) })
}

func (c *Cluster) addPod(ctx context.Context, pod *v1.Pod) error {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		_, err := c.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, meta.CreateOptions{})
		if err == nil || errors.IsAlreadyExists(err) {
			return nil
		}
		if errors.IsInvalid(err) || errors.IsForbidden(err) || time.Now().After(end) {
			return err
		}
	}
}

// AddPriorityClasses makes classes of these names and values.
func (c *Cluster) AddPriorityClasses(ctx context.Context, classes map[string]int32) error {
	for name, value := range classes {
		class := &scheduling.PriorityClass{ObjectMeta: meta.ObjectMeta{Name: name}, Value: value}
		_, err := c.Client.SchedulingV1().PriorityClasses().Create(ctx, class, meta.CreateOptions{})
		if err != nil && !errors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// Clear deletes everything that scenarios make, and waits until it is gone.
func (c *Cluster) Clear(ctx context.Context) error {
	atOnce := int64(0)
	now := meta.DeleteOptions{GracePeriodSeconds: &atOnce}
	all := meta.ListOptions{}
	core, storage := c.Client.CoreV1(), c.Client.StorageV1()
	for _, remove := range []func() error{
		func() error { return core.Pods(Namespace).DeleteCollection(ctx, now, all) },
		func() error { return core.Nodes().DeleteCollection(ctx, now, all) },
		func() error { return core.PersistentVolumeClaims(Namespace).DeleteCollection(ctx, now, all) },
		func() error { return core.PersistentVolumes().DeleteCollection(ctx, now, all) },
		func() error { return core.ReplicationControllers(Namespace).DeleteCollection(ctx, now, all) },
		func() error { return c.Client.AppsV1().ReplicaSets(Namespace).DeleteCollection(ctx, now, all) },
		func() error { return c.removeServices(ctx) },
		func() error { return c.ClearDevices(ctx) },
		func() error { return storage.StorageClasses().DeleteCollection(ctx, now, all) },
		func() error { return storage.CSINodes().DeleteCollection(ctx, now, all) },
		func() error {
			return c.Client.PolicyV1().PodDisruptionBudgets(Namespace).DeleteCollection(ctx, now, all)
		},
	} {
		if err := thrice(remove); err != nil {
			return err
		}
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		pods, err := core.Pods(Namespace).List(ctx, all)
		if err == nil && len(pods.Items) == 0 {
			return nil
		}
	}
	return fmt.Errorf("pods are still there 20 s after they were deleted")
}

// thrice tries again what has failed: an API server ends a request after a minute, and to delete thousands of pods may
// take longer.
func thrice(do func() error) (err error) {
	for range 3 {
		if err = do(); err == nil {
			return nil
		}
	}
	return err
}

func (c *Cluster) removeServices(ctx context.Context) error {
	services, err := c.Client.CoreV1().Services(Namespace).List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	for _, service := range services.Items {
		if service.Name == "kubernetes" {
			continue
		}
		if err := c.Client.CoreV1().Services(Namespace).Delete(ctx, service.Name, meta.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func each[T any](items []T, do func(T) error) (first error) {
	var group sync.WaitGroup
	var once sync.Once
	queue := make(chan T)
	for range creators {
		group.Go(func() {
			for item := range queue {
				if err := do(item); err != nil {
					once.Do(func() { first = err })
				}
			}
		})
	}
	for _, item := range items {
		queue <- item
	}
	close(queue)
	group.Wait()
	return first
}
