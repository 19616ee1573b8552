package evictions

import (
	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

// onePod: a claim that only one pod at a time may use.
func onePod() need {
	const claim = "of-one-pod"
	return need{
		name: OnePod, high: cluster.Claims(claim), low: everywhere(cluster.Claims(claim)), onFirst: true,
		prepare: func(s *Stage, _ []string) error {
			one := v1.PersistentVolumeAccessMode(v1.ReadWriteOncePod)
			volume := cluster.Volume(claim, cluster.For(claim))
			volume.Spec.AccessModes = []v1.PersistentVolumeAccessMode{one}
			return s.bound(cluster.Claim(claim, cluster.OfOnePod()), volume)
		},
	}
}

const driver = "csi.e2e.example"

// fewVolumes: each node takes one volume of the driver, and has it.
func fewVolumes() need {
	return need{
		name: FewVolume, high: cluster.Claims("disk-of-high"),
		low: func(node string) func(*v1.Pod) { return cluster.Claims("disk-of-" + node) },
		prepare: func(s *Stage, nodes []string) error {
			for _, node := range nodes {
				if err := s.oneVolume(node); err != nil {
					return err
				}
			}
			for _, owner := range append(nodes, "high") {
				disk := "disk-of-" + owner
				if err := s.bound(cluster.Claim(disk), cluster.Volume(disk, cluster.OfDriver(driver), cluster.For(disk))); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// bound creates a claim and its volume, as if the volume controller had bound them.
func (s *Stage) bound(claim *v1.PersistentVolumeClaim, volume *v1.PersistentVolume) error {
	if err := s.AddVolume(s.Ctx, volume); err != nil {
		return err
	}
	cluster.BoundTo(volume.Name)(claim)
	return s.AddClaim(s.Ctx, claim)
}

// oneVolume of the driver is the node's limit.
func (s *Stage) oneVolume(node string) error {
	one := int32(1)
	info := &storage.CSINode{ObjectMeta: meta.ObjectMeta{Name: node}, Spec: storage.CSINodeSpec{Drivers: []storage.CSINodeDriver{
		{Name: driver, NodeID: node, Allocatable: &storage.VolumeNodeResources{Count: &one}}}}}
	_, err := s.Client.StorageV1().CSINodes().Create(s.Ctx, info, meta.CreateOptions{})
	return err
}
