package main

import (
	"fmt"
	"strings"

	authorization "k8s.io/api/authorization/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// nominatorRights: manifests/nominator.yaml grants what nominations and the election need, and nothing that is near it.
// nominator-gate.yaml adds the right to remove gates. What the watch needs is the role of rbac.yaml, see rights.
func nominatorRights(t *T) {
	t.apply("rbac.yaml")
	t.apply("nominator.yaml")
	t.mayNominator(true, "patch pods/status", "get pods", "list pods", "watch nodes",
		"get leases/winnow-nominator in kube-system", "update leases/winnow-nominator in kube-system")
	t.mayNominator(false, "patch pods", "update pods", "update pods/status", "create pods/binding", "delete pods", "create pods",
		"get leases/kube-scheduler in kube-system", "update leases/kube-scheduler in kube-system",
		"update leases/winnow-nominator in default", "create leases in kube-system", "delete leases/winnow-nominator in kube-system",
		"patch nodes", "get secrets", "get nodes/proxy")
	t.apply("nominator-gate.yaml")
	t.later(t.removeGatePolicy)
	t.mayNominator(true, "patch pods")
	t.mayNominator(false, "update pods", "delete pods", "create pods/binding", "patch pods/ephemeralcontainers")
}

// mayNominator asks the API server about "VERB RESOURCE[/SUBRESOURCE] [in NAMESPACE]". A Lease is "leases/NAME".
func (t *T) mayNominator(may bool, rights ...string) {
	for _, right := range rights {
		asked := &authorization.ResourceAttributes{Namespace: cluster.Namespace}
		where := ""
		if at := strings.Index(right, " in "); at >= 0 {
			asked.Namespace, where = right[at+4:], right[:at]
		} else {
			where = right
		}
		fmt.Sscanf(where, "%s %s", &asked.Verb, &asked.Resource)
		asked.Resource, asked.Subresource, _ = strings.Cut(asked.Resource, "/")
		if asked.Resource == "leases" {
			asked.Group, asked.Name, asked.Subresource = "coordination.k8s.io", asked.Subresource, ""
		}
		if asked.Resource == "nodes" {
			asked.Namespace = ""
		}
		review, err := t.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Ctx, &authorization.SubjectAccessReview{
			Spec: authorization.SubjectAccessReviewSpec{User: bed.Nominator, ResourceAttributes: asked},
		}, meta.CreateOptions{})
		t.must(err)
		t.check(review.Status.Allowed == may, "the nominator may %s: %v, expected %v (%s)",
			right, review.Status.Allowed, may, review.Status.Reason)
	}
}
