package main

import (
	"fmt"
	"reflect"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	pvutil "k8s.io/kubernetes/pkg/controller/volume/persistentvolume/util"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"winnow.test/oracle/answer"
)

var everything = labels.Everything()

// draws is how often the volume binder is asked: of equal volumes it takes any.
const draws = 300

// versionVolumes gives a resourceVersion to what has none: upstream assumes nothing of such an object.
func (m *simulation) versionVolumes() {
	volumes, _ := m.known.Core().V1().PersistentVolumes().Lister().List(everything)
	for _, volume := range volumes {
		if volume.ResourceVersion == "" {
			volume.ResourceVersion = "1"
		}
	}
	claims, _ := m.pvcs.List(everything)
	for _, claim := range claims {
		if claim.ResourceVersion == "" {
			claim.ResourceVersion = "1"
		}
	}
}

func (m *simulation) bindsVolumes() bool {
	for _, p := range m.predicates {
		if p.name == predicates.CheckVolumeBindingPred {
			return true
		}
	}
	return false
}

// draw lets the binder find volumes once more.
func (m *simulation) draw(pod *v1.Pod, node string) (found answer.Bindings, err error) {
	binder := m.config.VolumeBinder.Binder
	if _, _, err := binder.FindPodVolumes(pod, m.infos[node].Node()); err != nil {
		return found, err
	}
	list := reflect.ValueOf(binder.GetBindingsCache().GetBindings(pod, node))
	for i := 0; i < list.Len(); i++ {
		binding := list.Index(i).Elem()
		found.Claims = append(found.Claims, binding.FieldByName("pvc").Elem().FieldByName("Name").String())
		found.Volumes = append(found.Volumes, binding.FieldByName("pv").Elem().FieldByName("Name").String())
	}
	for _, claim := range binder.GetBindingsCache().GetProvisionedPVCs(pod, node) {
		found.Promised = append(found.Promised, claim.Name)
	}
	return found, nil
}

// claimsOf is where the pod's claims are now.
func (m *simulation) claimsOf(pod *v1.Pod) map[string]answer.Claim {
	claims := map[string]answer.Claim{}
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		name := volume.PersistentVolumeClaim.ClaimName
		if claim, err := m.pvcs.PersistentVolumeClaims(pod.Namespace).Get(name); err == nil {
			claims[name] = answer.Claim{Volume: claim.Spec.VolumeName, Node: claim.Annotations[pvutil.AnnSelectedNode]}
		}
	}
	return claims
}

// reserve takes the volumes that Winnow took, and says whether the binder can find them: by upstream's own AssumePodVolumes, and by
// what the API server and the volume controller make of it.
func (m *simulation) reserve(pod *v1.Pod, attempt answer.Attempt, one *answer.Simulated) error {
	before := m.claimsOf(pod)
	one.Claims = before
	if m.bindsVolumes() && one.Skipped == "" && len(before) > 0 {
		for try := 0; try < draws; try++ {
			found, err := m.draw(pod, attempt.Node)
			if err != nil { // It does not fit there.
				break
			}
			one.Volumes, one.Promised, one.Claims = len(found.Volumes), len(found.Promised), found.Applied(before, attempt.Node)
			if reflect.DeepEqual(one.Claims, attempt.Claims) {
				if _, err := m.config.VolumeBinder.Binder.AssumePodVolumes(pod.DeepCopy(), attempt.Node); err != nil {
					return err
				}
				return m.publish(pod.Namespace, found, attempt.Node)
			}
		}
	}
	return m.publish(pod.Namespace, answer.BindingsBetween(before, attempt.Claims), attempt.Node)
}

// publish is the watch's news of what was bound and promised.
func (m *simulation) publish(namespace string, found answer.Bindings, node string) error {
	claims := m.known.Core().V1().PersistentVolumeClaims()
	volumes := m.known.Core().V1().PersistentVolumes()
	change := func(name string, change func(*v1.PersistentVolumeClaim)) error {
		claim, err := claims.Lister().PersistentVolumeClaims(namespace).Get(name)
		if err != nil {
			return err
		}
		claim = claim.DeepCopy()
		change(claim)
		newer(&claim.ObjectMeta)
		claims.Informer().(*fixed).update(claim)
		return nil
	}
	for i, name := range found.Claims {
		claim, err := claims.Lister().PersistentVolumeClaims(namespace).Get(name)
		if err != nil {
			return err
		}
		volume, err := volumes.Lister().Get(found.Volumes[i])
		if err != nil {
			return err
		}
		bound, _, err := pvutil.GetBindVolumeToClaim(volume, claim)
		if err != nil {
			return err
		}
		bound.Status.Phase = v1.VolumeBound
		newer(&bound.ObjectMeta)
		volumes.Informer().(*fixed).update(bound)
		err = change(name, func(claim *v1.PersistentVolumeClaim) {
			claim.Spec.VolumeName = bound.Name
			claim.Status.Phase = v1.ClaimBound
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, pvutil.AnnBindCompleted, "yes")
		})
		if err != nil {
			return err
		}
	}
	for _, name := range found.Promised {
		err := change(name, func(claim *v1.PersistentVolumeClaim) {
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, pvutil.AnnSelectedNode, node)
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
