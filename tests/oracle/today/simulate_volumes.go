package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"winnow.test/oracle/answer"
)

var everything = labels.Everything()

// draws is how often the volume binder is asked: of equal volumes it takes any.
const draws = 300

// versionVolumes gives a resourceVersion to what has none: upstream assumes nothing of such an object.
func (m *simulation) versionVolumes() {
	volumes, _ := m.known.Core().V1().PersistentVolumes().Lister().List(everything)
	for _, one := range volumes {
		if one.ResourceVersion == "" {
			one.ResourceVersion = "1"
		}
	}
	claims, _ := m.known.Core().V1().PersistentVolumeClaims().Lister().List(everything)
	for _, one := range claims {
		if one.ResourceVersion == "" {
			one.ResourceVersion = "1"
		}
	}
}

// bindsVolumes: upstream reserves what the plugin's Filter has found.
func (p *profile) bindsVolumes() bool {
	return slices.ContainsFunc(p.filters, func(plugin fwk.FilterPlugin) bool { return plugin.Name() == volumebinding.Name }) &&
		slices.ContainsFunc(p.reserves, func(plugin fwk.ReservePlugin) bool { return plugin.Name() == volumebinding.Name })
}

// draw lets the binder find volumes once more. No state: it had nothing to find, or the pod does not fit there.
func (m *simulation) draw(pod *v1.Pod, node string) (found answer.Bindings, state fwk.CycleState) {
	p := m.profileOf(pod)
	state = framework.NewCycleState()
	if _, status, _ := p.framework.RunPreFilterPlugins(m.ctx, state, pod); !status.IsSuccess() {
		return found, nil
	}
	if status := p.framework.RunFilterPlugins(m.ctx, state, pod, m.info(node)); !status.IsSuccess() {
		return found, nil
	}
	data, err := state.Read(volumebinding.Name)
	if err != nil { // Skipped.
		return found, nil
	}
	field := reflect.ValueOf(data).Elem().FieldByName("podVolumesByNode")
	volumes := (*(*map[string]*volumebinding.PodVolumes)(unsafe.Pointer(field.UnsafeAddr())))[node]
	if volumes == nil {
		return found, nil
	}
	for _, binding := range volumes.StaticBindings {
		at := reflect.ValueOf(binding).Elem()
		found.Claims = append(found.Claims, at.FieldByName("pvc").Elem().FieldByName("Name").String())
		found.Volumes = append(found.Volumes, at.FieldByName("pv").Elem().FieldByName("Name").String())
	}
	for _, provision := range volumes.DynamicProvisions {
		found.Promised = append(found.Promised, provision.PVC.Name)
	}
	return found, state
}

// claimsOf is where the pod's claims are now.
func (m *simulation) claimsOf(pod *v1.Pod) map[string]answer.Claim {
	claims := map[string]answer.Claim{}
	for i := range pod.Spec.Volumes {
		var name string
		switch of := &pod.Spec.Volumes[i]; {
		case of.PersistentVolumeClaim != nil:
			name = of.PersistentVolumeClaim.ClaimName
		case of.Ephemeral != nil:
			name = ephemeral.VolumeClaimName(pod, of)
		default:
			continue
		}
		claim, err := m.known.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(pod.Namespace).Get(name)
		if err == nil {
			claims[name] = answer.Claim{Volume: claim.Spec.VolumeName, Node: claim.Annotations[volume.AnnSelectedNode]}
		}
	}
	return claims
}

// drawAs asks until the binder has found what Winnow took. No state: there is nothing to reserve, or it cannot be found.
func (m *simulation) drawAs(pod *v1.Pod, attempt answer.Attempt, one *answer.Simulated) (answer.Bindings, fwk.CycleState) {
	before := m.claimsOf(pod)
	one.Claims = before
	winnows := answer.BindingsBetween(before, attempt.Claims)
	if p := m.profileOf(pod); one.Skipped != "" || p == nil || !p.bindsVolumes() || len(before) == 0 {
		return winnows, nil
	}
	for try := 0; try < draws; try++ {
		found, state := m.draw(pod, attempt.Node)
		if state == nil {
			return winnows, nil
		}
		one.Volumes, one.Promised, one.Claims = len(found.Volumes), len(found.Promised), found.Applied(before, attempt.Node)
		if reflect.DeepEqual(one.Claims, attempt.Claims) {
			return found, state
		}
	}
	return winnows, nil
}

// publish is the watch's news of what was bound and promised.
func (m *simulation) publish(namespace string, found answer.Bindings, node string) error {
	claims, volumes := m.known.Core().V1().PersistentVolumeClaims().Lister(), m.known.Core().V1().PersistentVolumes().Lister()
	change := func(name string, change func(*v1.PersistentVolumeClaim) error) error {
		claim, err := claims.PersistentVolumeClaims(namespace).Get(name)
		if err != nil {
			return err
		}
		claim = claim.DeepCopy()
		if err := change(claim); err != nil {
			return err
		}
		newer(&claim.ObjectMeta)
		informerOf(m.known, claim).update(claim)
		return nil
	}
	for i, name := range found.Claims {
		one, err := volumes.Get(found.Volumes[i])
		if err != nil {
			return err
		}
		err = change(name, func(claim *v1.PersistentVolumeClaim) error {
			bound, _, err := volume.GetBindVolumeToClaim(one, claim)
			if err != nil {
				return err
			}
			bound.Status.Phase = v1.VolumeBound
			newer(&bound.ObjectMeta)
			informerOf(m.known, bound).update(bound)
			claim.Spec.VolumeName, claim.Status.Phase = bound.Name, v1.ClaimBound
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnBindCompleted, "yes")
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, name := range found.Promised {
		err := change(name, func(claim *v1.PersistentVolumeClaim) error {
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnSelectedNode, node)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newer(meta *metav1.ObjectMeta) {
	version, err := strconv.Atoi(meta.ResourceVersion)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", meta.Name, err))
	}
	meta.ResourceVersion = strconv.Itoa(version + 1)
}
