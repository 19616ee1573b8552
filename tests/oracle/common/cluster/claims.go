package cluster

import (
	"fmt"
	"reflect"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/oracle/common/answer"
)

// draws is how often the volume binder is asked: of equal volumes it takes any.
const draws = 300

// The annotations by which the binder and the volume controller tell each other of a claim.
const (
	selectedNode  = "volume.kubernetes.io/selected-node"
	bindCompleted = "pv.kubernetes.io/bind-completed"
)

// versionVolumes gives a resourceVersion to what has none: upstream assumes nothing of such an object.
func (m *Simulation) versionVolumes() {
	volumes, _ := m.Known.Core().V1().PersistentVolumes().Lister().List(Everything)
	for _, volume := range volumes {
		if volume.ResourceVersion == "" {
			volume.ResourceVersion = "1"
		}
	}
	claims, _ := m.Known.Core().V1().PersistentVolumeClaims().Lister().List(Everything)
	for _, claim := range claims {
		if claim.ResourceVersion == "" {
			claim.ResourceVersion = "1"
		}
	}
}

// claimsOf is where the pod's claims are now.
func (m *Simulation) claimsOf(pod *v1.Pod) map[string]answer.Claim {
	claims := map[string]answer.Claim{}
	for i := range pod.Spec.Volumes {
		name := m.Volumes.ClaimOf(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		claim, err := m.Known.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(pod.Namespace).Get(name)
		if err == nil {
			claims[name] = answer.Claim{Volume: claim.Spec.VolumeName, Node: claim.Annotations[selectedNode]}
		}
	}
	return claims
}

// DrawAs asks until the binder has found what Winnow took. No state: there is nothing to reserve, or it cannot be found.
func (m *Simulation) DrawAs(pod *v1.Pod, attempt answer.Attempt, one *answer.Simulated) (answer.Bindings, interface{}) {
	before := m.claimsOf(pod)
	one.Claims = before
	winnows := answer.BindingsBetween(before, attempt.Claims)
	if one.Skipped != "" || !m.BindsVolumes(pod) || len(before) == 0 {
		return winnows, nil
	}
	for try := 0; try < draws; try++ {
		found, state := m.Draw(pod, attempt.Node)
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

// Publish is the watch's news of what was bound and promised.
func (m *Simulation) Publish(namespace string, found answer.Bindings, node string) error {
	for i, name := range found.Claims {
		volume, err := m.Known.Core().V1().PersistentVolumes().Lister().Get(found.Volumes[i])
		if err != nil {
			return err
		}
		err = m.change(namespace, name, func(claim *v1.PersistentVolumeClaim) error {
			bound, _, err := m.Volumes.Bind(volume, claim)
			if err != nil {
				return err
			}
			bound.Status.Phase = v1.VolumeBound
			newer(&bound.ObjectMeta)
			m.InformerOf(bound).Change(bound)
			claim.Spec.VolumeName, claim.Status.Phase = bound.Name, v1.ClaimBound
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, bindCompleted, "yes")
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, name := range found.Promised {
		err := m.change(namespace, name, func(claim *v1.PersistentVolumeClaim) error {
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, selectedNode, node)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Simulation) change(namespace, name string, change func(*v1.PersistentVolumeClaim) error) error {
	claim, err := m.Known.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(namespace).Get(name)
	if err != nil {
		return err
	}
	claim = claim.DeepCopy()
	if err := change(claim); err != nil {
		return err
	}
	newer(&claim.ObjectMeta)
	m.InformerOf(claim).Change(claim)
	return nil
}

func newer(meta *metav1.ObjectMeta) {
	version, err := strconv.Atoi(meta.ResourceVersion)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", meta.Name, err))
	}
	meta.ResourceVersion = strconv.Itoa(version + 1)
}
