package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// where the kinds of manifests live; %s is the namespace.
var paths = map[string]string{
	"Pod":                            "/api/v1/namespaces/%s/pods",
	"ServiceAccount":                 "/api/v1/namespaces/%s/serviceaccounts",
	"ConfigMap":                      "/api/v1/namespaces/%s/configmaps",
	"Service":                        "/api/v1/namespaces/%s/services",
	"Deployment":                     "/apis/apps/v1/namespaces/%s/deployments",
	"Lease":                          "/apis/coordination.k8s.io/v1/namespaces/%s/leases",
	"PodDisruptionBudget":            "/apis/policy/v1/namespaces/%s/poddisruptionbudgets",
	"Role":                           "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles",
	"RoleBinding":                    "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings",
	"ClusterRole":                    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
	"ClusterRoleBinding":             "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
	"APIService":                     "/apis/apiregistration.k8s.io/v1/apiservices",
	"MutatingAdmissionPolicy":        "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
	"MutatingAdmissionPolicyBinding": "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings",
}

// ReadManifest gives the documents of a YAML file.
func ReadManifest(path string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, document := range strings.Split("\n"+string(text), "\n---") {
		object := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict([]byte(document), &object.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

// Apply creates an object, with strict validation of its fields. DryRun leaves everything as it was. What is there
// already stays.
func (c *Cluster) Apply(ctx context.Context, object *unstructured.Unstructured, dryRun bool) error {
	path, known := paths[object.GetKind()]
	if !known {
		return fmt.Errorf("kind %s has no path here", object.GetKind())
	}
	if object.GetNamespace() != "" {
		path = fmt.Sprintf(path, object.GetNamespace())
	}
	body, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	request := c.Client.CoreV1().RESTClient().(*rest.RESTClient).Post().AbsPath(path).Body(body).
		SetHeader("Content-Type", "application/json").SetHeader("Accept", "application/json").Param("fieldValidation", "Strict")
	if dryRun {
		request = request.Param("dryRun", "All")
	}
	if err := request.Do(ctx).Error(); err != nil && !errors.IsAlreadyExists(err) {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}
