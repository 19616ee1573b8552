package main

import (
	"strings"
	"time"

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
	t.mayNominator(true, "create events", "patch pods/status", "get pods", "list pods", "watch nodes",
		"get leases/winnow-nominator in kube-system", "update leases/winnow-nominator in kube-system")
	t.mayNominator(false, "patch events", "delete events", "patch pods", "update pods", "update pods/status", "create pods/binding", "delete pods", "create pods",
		"get leases/kube-scheduler in kube-system", "update leases/kube-scheduler in kube-system",
		"update leases/winnow-nominator in default", "create leases in kube-system", "delete leases/winnow-nominator in kube-system",
		"patch nodes", "get secrets", "get nodes/proxy")
	t.apply("nominator-gate.yaml")
	t.later(t.removeGatePolicy)
	t.mayNominator(true, "patch pods")
	t.mayNominator(false, "update pods", "delete pods", "create pods/binding", "patch pods/ephemeralcontainers")
}

// mayNominator asks the API server about "VERB RESOURCE[/SUBRESOURCE] [in NAMESPACE]". A Lease is "leases/NAME". The API
// server authorizes by a watch of its own: a right that was just granted counts some moments later.
func (t *T) mayNominator(may bool, rights ...string) {
	for _, right := range rights {
		asked := attributesOf(right)
		answer := t.review(asked)
		if may {
			cluster.Until(10*time.Second, func() bool {
				answer = t.review(asked)
				return answer.Allowed
			})
		}
		t.check(answer.Allowed == may, "the nominator may %s: %v, expected %v (%s)", right, answer.Allowed, may, answer.Reason)
	}
}

func attributesOf(right string) *authorization.ResourceAttributes {
	what, namespace, found := strings.Cut(right, " in ")
	if !found {
		namespace = cluster.Namespace
	}
	verb, resource, _ := strings.Cut(what, " ")
	asked := &authorization.ResourceAttributes{Namespace: namespace, Verb: verb}
	asked.Resource, asked.Subresource, _ = strings.Cut(resource, "/")
	if asked.Resource == "leases" {
		asked.Group, asked.Name, asked.Subresource = "coordination.k8s.io", asked.Subresource, ""
	}
	if asked.Resource == "events" {
		asked.Group = "events.k8s.io"
	}
	if asked.Resource == "nodes" {
		asked.Namespace = ""
	}
	return asked
}

func (t *T) review(asked *authorization.ResourceAttributes) authorization.SubjectAccessReviewStatus {
	review, err := t.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Ctx, &authorization.SubjectAccessReview{
		Spec: authorization.SubjectAccessReviewSpec{User: bed.Nominator, ResourceAttributes: asked},
	}, meta.CreateOptions{})
	t.must(err)
	return review.Status
}
