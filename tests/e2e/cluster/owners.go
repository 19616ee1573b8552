package cluster

import (
	"context"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// AddOwners makes a Service and a ReplicaSet of the name, for pods of which a label has it as its value. There is no
// controller that would make pods. It gives the ReplicaSet's UID.
func (c *Cluster) AddOwners(ctx context.Context, key, name string) (types.UID, error) {
	service := &v1.Service{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec:       v1.ServiceSpec{ClusterIP: v1.ClusterIPNone, Selector: map[string]string{key: name}},
	}
	if _, err := c.Client.CoreV1().Services(Namespace).Create(ctx, service, meta.CreateOptions{}); err != nil {
		return "", err
	}
	template := Pod("")
	template.Labels[key] = name
	set := &apps.ReplicaSet{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: apps.ReplicaSetSpec{Selector: selector(key, name), Template: v1.PodTemplateSpec{
			ObjectMeta: meta.ObjectMeta{Labels: template.Labels}, Spec: v1.PodSpec{Containers: template.Spec.Containers}}},
	}
	set, err := c.Client.AppsV1().ReplicaSets(Namespace).Create(ctx, set, meta.CreateOptions{})
	if err != nil {
		return "", err
	}
	return set.UID, nil
}
