package cluster

import (
	"context"

	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AddClaim creates it.
func (c *Cluster) AddClaim(ctx context.Context, claim *v1.PersistentVolumeClaim) error {
	_, err := c.Client.CoreV1().PersistentVolumeClaims(Namespace).Create(ctx, claim, meta.CreateOptions{})
	return err
}

// AddVolume creates it.
func (c *Cluster) AddVolume(ctx context.Context, volume *v1.PersistentVolume) error {
	_, err := c.Client.CoreV1().PersistentVolumes().Create(ctx, volume, meta.CreateOptions{})
	return err
}

// AddAvailableVolume creates it, and says that it is to be had, as the volume controller does.
func (c *Cluster) AddAvailableVolume(ctx context.Context, volume *v1.PersistentVolume) error {
	volume, err := c.Client.CoreV1().PersistentVolumes().Create(ctx, volume, meta.CreateOptions{})
	if err != nil {
		return err
	}
	volume.Status.Phase = v1.VolumeAvailable
	_, err = c.Client.CoreV1().PersistentVolumes().UpdateStatus(ctx, volume, meta.UpdateOptions{})
	return err
}

// NoProvisioner is for volumes that are made by hand.
const NoProvisioner = "kubernetes.io/no-provisioner"

// AddLateClass makes a StorageClass of claims that wait for their first pod.
func (c *Cluster) AddLateClass(ctx context.Context, name, provisioner string) error {
	late := storage.VolumeBindingWaitForFirstConsumer
	class := &storage.StorageClass{
		ObjectMeta: meta.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &late}
	_, err := c.Client.StorageV1().StorageClasses().Create(ctx, class, meta.CreateOptions{})
	return err
}

// CompleteClaim does what the volume controller does once kube-scheduler has chosen the volume.
func (c *Cluster) CompleteClaim(ctx context.Context, claim, volume string) error {
	claims := c.Client.CoreV1().PersistentVolumeClaims(Namespace)
	found, err := claims.Get(ctx, claim, meta.GetOptions{})
	if err != nil {
		return err
	}
	if found.Annotations == nil {
		found.Annotations = map[string]string{}
	}
	BoundTo(volume)(found)
	if found, err = claims.Update(ctx, found, meta.UpdateOptions{}); err != nil {
		return err
	}
	found.Status.Phase = v1.ClaimBound
	_, err = claims.UpdateStatus(ctx, found, meta.UpdateOptions{})
	return err
}

// RemoveClaim deletes it.
func (c *Cluster) RemoveClaim(ctx context.Context, claim string) error {
	return c.Client.CoreV1().PersistentVolumeClaims(Namespace).Delete(ctx, claim, meta.DeleteOptions{})
}

// RemoveVolume deletes it.
func (c *Cluster) RemoveVolume(ctx context.Context, volume string) error {
	return c.Client.CoreV1().PersistentVolumes().Delete(ctx, volume, meta.DeleteOptions{})
}
