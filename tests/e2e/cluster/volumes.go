package cluster

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const bindCompleted = "pv.kubernetes.io/bind-completed"

// Claim asks for 1 GiB, ReadWriteOnce and no class unless it is told otherwise.
func Claim(name string, edits ...func(*v1.PersistentVolumeClaim)) *v1.PersistentVolumeClaim {
	class := ""
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: Namespace, Annotations: map[string]string{}},
		Spec: v1.PersistentVolumeClaimSpec{
			StorageClassName: &class, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			Resources: v1.VolumeResourceRequirements{Requests: oneGi()}},
	}
	for _, edit := range edits {
		edit(claim)
	}
	return claim
}

// BoundTo a volume, as the volume controller would have done it.
func BoundTo(volume string) func(*v1.PersistentVolumeClaim) {
	return func(claim *v1.PersistentVolumeClaim) {
		claim.Spec.VolumeName = volume
		claim.Annotations[bindCompleted] = "yes"
	}
}

// OfClass names the claim's StorageClass.
func OfClass(class string) func(*v1.PersistentVolumeClaim) {
	return func(claim *v1.PersistentVolumeClaim) { claim.Spec.StorageClassName = &class }
}

// OfOnePod lets one pod at a time use the claim.
func OfOnePod() func(*v1.PersistentVolumeClaim) {
	return func(claim *v1.PersistentVolumeClaim) {
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
	}
}

// Volume has 1 GiB, and is local everywhere unless it is told otherwise.
func Volume(name string, edits ...func(*v1.PersistentVolume)) *v1.PersistentVolume {
	volume := &v1.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeSpec{
			Capacity: oneGi(), AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			PersistentVolumeSource: v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: "/volume"}}},
	}
	for _, edit := range edits {
		edit(volume)
	}
	return volume
}

// LocalOn has the volume reached from one node only.
func LocalOn(node string) func(*v1.PersistentVolume) {
	return func(volume *v1.PersistentVolume) {
		is := v1.NodeSelectorRequirement{Key: Hostname, Operator: v1.NodeSelectorOpIn, Values: []string{node}}
		terms := []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{is}}}
		volume.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: "/volume"}}
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms}}
	}
}

// For keeps the volume for a claim.
func For(claim string) func(*v1.PersistentVolume) {
	return func(volume *v1.PersistentVolume) {
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: Namespace, Name: claim}
	}
}

// VolumeOfClass names the volume's StorageClass.
func VolumeOfClass(class string) func(*v1.PersistentVolume) {
	return func(volume *v1.PersistentVolume) { volume.Spec.StorageClassName = class }
}

// OfDriver has a CSI driver reach the volume; each volume is another one to it.
func OfDriver(driver string) func(*v1.PersistentVolume) {
	return func(volume *v1.PersistentVolume) {
		source := &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: volume.Name}
		volume.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{CSI: source}
	}
}

func oneGi() v1.ResourceList {
	return v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
}
