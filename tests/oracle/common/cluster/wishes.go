package cluster

import (
	v1 "k8s.io/api/core/v1"
)

// Volumes is how a release's binder sees claims and volumes. ClaimOf names the claim of a pod's volume; "" if it has none.
type Volumes struct {
	ClaimOf      func(*v1.Pod, *v1.Volume) string
	ClassOf      func(*v1.PersistentVolume) string
	ClaimClassOf func(*v1.PersistentVolumeClaim) string
	IsBoundTo    func(*v1.PersistentVolume, *v1.PersistentVolumeClaim) bool
	WishOf       func(*v1.PersistentVolumeClaim) string // What a claim asks of a volume of its class.
	LooksOf      func(*v1.PersistentVolume) string      // What a claim may ask for, but for class and size.
	Bind         func(*v1.PersistentVolume, *v1.PersistentVolumeClaim) (*v1.PersistentVolume, bool, error)
}

// IsAmbiguous: of several volumes of one size a claim takes the first, though another claim of the pod may need just
// that one; of several volumes that name the claim, the first.
func (v *Volumes) IsAmbiguous(claims []*v1.PersistentVolumeClaim, volumes []*v1.PersistentVolume) bool {
	wishes := map[string]map[string]bool{} // By class.
	for _, claim := range claims {
		class := v.ClaimClassOf(claim)
		if v.boundTo(claim, class, volumes) > 1 {
			return true
		}
		if wishes[class] == nil {
			wishes[class] = map[string]bool{}
		}
		wishes[class][v.WishOf(claim)] = true
	}
	for class, wishes := range wishes {
		if len(wishes) > 1 && v.hasUnlikeEquals(class, volumes) {
			return true
		}
	}
	return false
}

func (v *Volumes) boundTo(claim *v1.PersistentVolumeClaim, class string, volumes []*v1.PersistentVolume) (n int) {
	for _, volume := range volumes {
		if v.ClassOf(volume) == class && v.IsBoundTo(volume, claim) {
			n++
		}
	}
	return n
}

// hasUnlikeEquals: two volumes of one size that are not alike to every claim. Where they are, of two that the node can reach
// either will do.
func (v *Volumes) hasUnlikeEquals(class string, volumes []*v1.PersistentVolume) bool {
	bySize := map[int64]string{}
	for _, volume := range volumes {
		if v.ClassOf(volume) != class || volume.Spec.ClaimRef != nil || volume.Status.Phase != v1.VolumeAvailable {
			continue
		}
		quantity := volume.Spec.Capacity[v1.ResourceStorage]
		size, looks := quantity.Value(), v.LooksOf(volume)
		if other, ok := bySize[size]; ok && other != looks {
			return true
		}
		bySize[size] = looks
	}
	return false
}

// ModeOf has the API server's default.
func ModeOf(mode *v1.PersistentVolumeMode) v1.PersistentVolumeMode {
	if mode == nil {
		return v1.PersistentVolumeFilesystem
	}
	return *mode
}

// Waiting are the pod's unbound claims that wait for the scheduler, as waits says.
func (v *Volumes) Waiting(pod *v1.Pod, get func(name string) (*v1.PersistentVolumeClaim, error),
	waits func(*v1.PersistentVolumeClaim) (bool, error)) (claims []*v1.PersistentVolumeClaim) {
	for i := range pod.Spec.Volumes {
		name := v.ClaimOf(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		claim, err := get(name)
		if err != nil || claim.Spec.VolumeName != "" {
			continue
		}
		if waits, err := waits(claim); err == nil && waits {
			claims = append(claims, claim)
		}
	}
	return claims
}
