package cluster

import (
	"context"
	"encoding/base64"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// Aggregated is an API that the API servers do not serve themselves: they pass on what they are asked of it.
type Aggregated struct {
	Group, Version string
	Service        string // In kube-system. The certificate is for SERVICE.kube-system.svc.
	Port           int    // On this machine.
	CA             []byte // Who has signed the certificate.
}

func (a Aggregated) name() string { return a.Version + "." + a.Group }

// AddAPI has the API servers pass on an API's requests. They see by themselves after a while that somebody answers.
func (c *Cluster) AddAPI(ctx context.Context, api Aggregated) error {
	service := &v1.Service{
		ObjectMeta: meta.ObjectMeta{Name: api.Service},
		Spec:       v1.ServiceSpec{Type: v1.ServiceTypeExternalName, ExternalName: "localhost"},
	}
	if _, err := c.Client.CoreV1().Services(meta.NamespaceSystem).Create(ctx, service, meta.CreateOptions{}); err != nil {
		return err
	}
	return c.Apply(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": api.name()},
		"spec": map[string]any{
			"group": api.Group, "version": api.Version, "caBundle": base64.StdEncoding.EncodeToString(api.CA),
			"groupPriorityMinimum": int64(100), "versionPriority": int64(100),
			"service": map[string]any{"name": api.Service, "namespace": meta.NamespaceSystem, "port": int64(api.Port)},
		}}}, false)
}

// RemoveAPI undoes AddAPI.
func (c *Cluster) RemoveAPI(ctx context.Context, api Aggregated) {
	c.Client.CoreV1().RESTClient().(*rest.RESTClient).Delete().AbsPath(paths["APIService"], api.name()).Do(ctx)
	c.Client.CoreV1().Services(meta.NamespaceSystem).Delete(ctx, api.Service, meta.DeleteOptions{})
}
