package devices

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	api "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	resource "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	"winnow.test/e2e/cluster"
)

// players is how many claims are worked on at once.
const players = 16

// Player makes claims from templates and releases those of pods that are gone, as the controller of claims does; and it
// sets the conditions that devices are bound by, as drivers do.
type Player struct {
	Failed atomic.Int64 // What could not be done.

	cluster *cluster.Cluster
	ctx     context.Context
	cancel  context.CancelFunc
	work    chan func() error
	group   sync.WaitGroup
	mutex   sync.Mutex
	seen    map[string]bool // What is done once: by pod or claim.
	last    error
}

// Play begins, and returns when it has seen all that is there.
func Play(parent context.Context, c *cluster.Cluster) *Player {
	ctx, cancel := context.WithCancel(parent)
	p := &Player{cluster: c, ctx: ctx, cancel: cancel, work: make(chan func() error, 10000), seen: map[string]bool{}}
	for range players {
		p.group.Go(p.plays)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.Client, 0, informers.WithNamespace(cluster.Namespace))
	factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { p.sawPod(pod.(*v1.Pod)) },
		DeleteFunc: p.podGone,
	})
	factory.Resource().V1().ResourceClaims().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(claim any) { p.sawClaim(claim.(*api.ResourceClaim)) },
		UpdateFunc: func(_, claim any) { p.sawClaim(claim.(*api.ResourceClaim)) },
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return p
}

// Stop ends it. It gives the last thing that went wrong.
func (p *Player) Stop() error {
	p.cancel()
	p.group.Wait()
	return p.last
}

func (p *Player) plays() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case do := <-p.work:
			if err := do(); err != nil && p.ctx.Err() == nil && !errors.IsNotFound(err) {
				p.Failed.Add(1)
				p.mutex.Lock()
				p.last = err
				p.mutex.Unlock()
			}
		}
	}
}

// once has the work done, if nobody has asked for it under this name.
func (p *Player) once(name string, do func() error) {
	p.mutex.Lock()
	again := p.seen[name]
	p.seen[name] = true
	p.mutex.Unlock()
	if !again {
		p.work <- do
	}
}

func (p *Player) sawPod(pod *v1.Pod) {
	if slices.ContainsFunc(pod.Spec.ResourceClaims, func(c v1.PodResourceClaim) bool { return c.ResourceClaimTemplateName != nil }) {
		p.once("pod "+string(pod.UID), func() error { return p.makeClaims(pod) })
	}
}

// makeClaims makes a claim for each template that the pod names, and tells the pod.
func (p *Player) makeClaims(pod *v1.Pod) error {
	var made []v1.PodResourceClaimStatus
	for _, wanted := range pod.Spec.ResourceClaims {
		if wanted.ResourceClaimTemplateName == nil {
			continue
		}
		template, err := p.cluster.Client.ResourceV1().ResourceClaimTemplates(pod.Namespace).Get(p.ctx, *wanted.ResourceClaimTemplateName, meta.GetOptions{})
		if err != nil {
			return err
		}
		claim := &api.ResourceClaim{ObjectMeta: meta.ObjectMeta{
			GenerateName: pod.Name + "-" + wanted.Name + "-", OwnerReferences: owner(pod),
			Annotations: map[string]string{api.PodResourceClaimAnnotation: wanted.Name}}, Spec: template.Spec.Spec}
		claim, err = p.claims().Create(p.ctx, claim, meta.CreateOptions{})
		if err != nil {
			return err
		}
		made = append(made, v1.PodResourceClaimStatus{Name: wanted.Name, ResourceClaimName: &claim.Name})
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID},
		"status": map[string]any{"resourceClaimStatuses": made}})
	if err != nil {
		return err
	}
	_, err = p.cluster.Client.CoreV1().Pods(pod.Namespace).Patch(p.ctx, pod.Name, types.StrategicMergePatchType, patch, meta.PatchOptions{}, "status")
	return err
}

// sawClaim: devices that are bound by conditions are attached as soon as the claim has them.
func (p *Player) sawClaim(claim *api.ResourceClaim) {
	if claim.Status.Allocation == nil || claim.DeletionTimestamp != nil {
		return
	}
	if slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r api.DeviceRequestAllocationResult) bool { return len(r.BindingConditions) > 0 }) {
		at := claim.Status.Allocation.AllocationTimestamp.String() // A claim may be allocated anew.
		p.once("claim "+string(claim.UID)+at, func() error { return p.attach(claim.Name) })
	}
}

func (p *Player) attach(name string) error {
	return p.change(name, func(claim *api.ResourceClaim) bool {
		if claim.Status.Allocation == nil {
			return false
		}
		claim.Status.Devices = nil
		for _, result := range claim.Status.Allocation.Devices.Results {
			status := api.AllocatedDeviceStatus{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
			if result.ShareID != nil {
				share := string(*result.ShareID)
				status.ShareID = &share
			}
			for _, condition := range result.BindingConditions {
				status.Conditions = append(status.Conditions, meta.Condition{Type: condition, Status: meta.ConditionTrue,
					Reason: "Attached", LastTransitionTime: meta.Now()})
			}
			claim.Status.Devices = append(claim.Status.Devices, status)
		}
		return true
	})
}

func (p *Player) podGone(object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	pod := object.(*v1.Pod)
	names := map[string]bool{}
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.ResourceClaimName != nil {
			names[*status.ResourceClaimName] = true
		}
	}
	for _, wanted := range pod.Spec.ResourceClaims {
		if wanted.ResourceClaimName != nil {
			names[*wanted.ResourceClaimName] = true
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		names[extended.ResourceClaimName] = true
	}
	for name := range names {
		p.work <- func() error { return p.release(name, pod.UID) }
	}
}

// release takes the pod from those that the claim is reserved for. A claim that nobody uses has no devices any more, and
// goes with the pod that owns it.
func (p *Player) release(name string, pod types.UID) error {
	err := p.change(name, func(claim *api.ResourceClaim) bool {
		before := len(claim.Status.ReservedFor)
		claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, func(r api.ResourceClaimConsumerReference) bool { return r.UID == pod })
		if len(claim.Status.ReservedFor) == 0 && claim.Status.Allocation != nil {
			claim.Status.Allocation, claim.Status.Devices = nil, nil
			return true
		}
		return len(claim.Status.ReservedFor) != before
	})
	if err != nil {
		return err
	}
	claim, err := p.claims().Get(p.ctx, name, meta.GetOptions{})
	if err != nil || !slices.ContainsFunc(claim.OwnerReferences, func(o meta.OwnerReference) bool { return o.UID == pod }) {
		return err
	}
	if err = p.claims().Delete(p.ctx, name, meta.DeleteOptions{}); err != nil {
		return err
	}
	_, err = p.claims().Patch(p.ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), meta.PatchOptions{})
	return err
}

// change writes the claim's status, unless nothing is to be changed.
func (p *Player) change(name string, edit func(*api.ResourceClaim) bool) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		claim, err := p.claims().Get(p.ctx, name, meta.GetOptions{})
		if err != nil || !edit(claim) {
			return err
		}
		if _, err = p.claims().UpdateStatus(p.ctx, claim, meta.UpdateOptions{}); err != nil {
			return fmt.Errorf("claim %s: %w", name, err)
		}
		return nil
	})
}

func (p *Player) claims() resource.ResourceClaimInterface {
	return p.cluster.Client.ResourceV1().ResourceClaims(cluster.Namespace)
}
