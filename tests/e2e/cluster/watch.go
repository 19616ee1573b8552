package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Watch follows pods and nodes, and keeps what became of each pod.
type Watch struct {
	Pods  listers.PodLister
	Nodes listers.NodeLister

	mutex     sync.Mutex
	history   map[string][]Step    // By the pod's name.
	bindings  map[string]string    // UID to node: the first one seen.
	boundAt   map[string]time.Time // By the pod's name: the last one seen.
	nominated map[string]string    // By the pod's name: the last nomination seen. It goes when the pod is bound.
	Broken    []string             // What must never happen: a bound pod on another node.
	cancel    context.CancelFunc
}

// Step is a change of a pod that the watch has shown.
type Step struct {
	At   time.Time
	What string
}

// Follow begins to watch, and returns when everything that is there has been seen.
func (c *Cluster) Follow(parent context.Context) *Watch {
	ctx, cancel := context.WithCancel(parent)
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	pods, nodes := factory.Core().V1().Pods(), factory.Core().V1().Nodes()
	w := &Watch{
		Pods: pods.Lister(), Nodes: nodes.Lister(),
		history: map[string][]Step{}, bindings: map[string]string{}, boundAt: map[string]time.Time{},
		nominated: map[string]string{}, cancel: cancel,
	}
	nodes.Informer()
	pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { w.saw(&v1.Pod{}, pod.(*v1.Pod)) },
		UpdateFunc: func(old, pod any) { w.saw(old.(*v1.Pod), pod.(*v1.Pod)) },
		DeleteFunc: w.gone,
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return w
}

// Stop ends the watch; what was seen stays.
func (w *Watch) Stop() { w.cancel() }

func (w *Watch) saw(old, pod *v1.Pod) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if old.UID != pod.UID {
		old = &v1.Pod{} // Created: perhaps in place of another one of its name, whose end was missed.
		w.note(pod.Name, "created")
	}
	if old.Spec.NodeName != pod.Spec.NodeName {
		w.note(pod.Name, "bound to "+pod.Spec.NodeName)
		if before, bound := w.bindings[string(pod.UID)]; bound && before != pod.Spec.NodeName {
			w.Broken = append(w.Broken, fmt.Sprintf("pod %s was bound to %s, then to %s", pod.Name, before, pod.Spec.NodeName))
		}
		w.bindings[string(pod.UID)] = pod.Spec.NodeName
		w.boundAt[pod.Name] = time.Now()
	}
	if old.Status.NominatedNodeName != pod.Status.NominatedNodeName {
		w.note(pod.Name, "nominated for "+pod.Status.NominatedNodeName)
		if node := pod.Status.NominatedNodeName; node != "" {
			w.nominated[pod.Name] = node
		}
	}
	if condition := Unscheduled(pod); condition != nil && (Unscheduled(old) == nil || *Unscheduled(old) != *condition) {
		w.note(pod.Name, fmt.Sprintf("PodScheduled=False %s: %s", condition.Reason, condition.Message))
	}
	if old.DeletionTimestamp == nil && pod.DeletionTimestamp != nil {
		w.note(pod.Name, "being deleted")
	}
}

func (w *Watch) gone(object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.note(object.(*v1.Pod).Name, "deleted")
}

func (w *Watch) note(pod, what string) {
	w.history[pod] = append(w.history[pod], Step{time.Now(), what})
}

// History is what has become of the pod so far.
func (w *Watch) History(pod string) []Step {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]Step(nil), w.history[pod]...)
}

// BoundAt is when the pod's node was seen.
func (w *Watch) BoundAt(pod string) time.Time {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.boundAt[pod]
}

// NominatedFor is the node of the pod's last nomination, "" if it never had one.
func (w *Watch) NominatedFor(pod string) string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.nominated[pod]
}

// Longest is the longest time from a pod's first sight to its node, and whose it is. It counts pods that have one.
func (w *Watch) Longest() (longest time.Duration, pod string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for name, bound := range w.boundAt {
		if waited := bound.Sub(w.history[name][0].At); waited > longest {
			longest, pod = waited, name
		}
	}
	return longest, pod
}

// All pods that are there.
func (w *Watch) All() []*v1.Pod {
	pods, _ := w.Pods.List(labels.Everything())
	return pods
}

// AllNodes that are there.
func (w *Watch) AllNodes() []*v1.Node {
	nodes, _ := w.Nodes.List(labels.Everything())
	return nodes
}

// NodeOf the pod: "" while it is not bound, or not there.
func (w *Watch) NodeOf(pod string) string {
	found, err := w.Pods.Pods(Namespace).Get(pod)
	if err != nil {
		return ""
	}
	return found.Spec.NodeName
}

// Bound counts the pods that have a node.
func (w *Watch) Bound() (bound int) {
	for _, pod := range w.All() {
		if pod.Spec.NodeName != "" {
			bound++
		}
	}
	return bound
}

// Until waits for the condition to hold.
func Until(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

// Unscheduled is the pod's condition that says why it has no node, or nil.
func Unscheduled(pod *v1.Pod) *v1.PodCondition {
	for i, condition := range pod.Status.Conditions {
		if condition.Type == v1.PodScheduled && condition.Status == v1.ConditionFalse {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}
