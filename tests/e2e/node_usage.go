package main

import (
	"crypto/x509"
	"net/http"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/usage"
)

// startUsage has pods run, and API servers tell what is used, as with a metrics-server behind them. Winnow gets what
// manifests/node-metrics.yaml grants.
func (t *T) startUsage(nodes map[string]usage.Node) (*usage.Truth, *usage.API) {
	t.apply("node-metrics.yaml")
	truth := usage.NewTruth(nodes)
	kubelet := usage.StartKubelet(truth, t.Client, t.Watch.All)
	t.later(kubelet.Stop)
	const service = "metrics-server"
	certificate, err := t.Issue(service+".kube-system.svc", x509.ExtKeyUsageServerAuth)
	t.must(err)
	api, err := usage.StartAPI(truth, t.options.resolution, certificate.Cert, certificate.Key)
	t.must(err)
	t.later(api.Stop)
	authority, err := os.ReadFile(certificate.CA)
	t.must(err)
	served := cluster.Aggregated{Group: "metrics.k8s.io", Version: "v1beta1", Service: service, Port: api.Port, CA: authority}
	t.later(func() { t.RemoveAPI(t.Ctx, served) })
	t.must(t.AddAPI(t.Ctx, served))
	for _, server := range t.Servers {
		t.check(cluster.Until(time.Minute, func() bool { return t.servesUsage(server.URL) }),
			"%s does not serve metrics.k8s.io a minute after it was added", server.Name)
	}
	return truth, api
}

// servesUsage says whether an API server passes on what is asked of the metrics API.
func (t *T) servesUsage(server string) bool {
	client, err := rest.HTTPClientFor(t.Config(bed.Admin))
	t.must(err)
	answer, err := client.Get(server + usage.Path + "/nodes")
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// measures: within the limit Winnow has measurements of so many nodes.
func (t *T) measures(nodes int, limit time.Duration) {
	known := func() int { return int(t.metric("winnow_node_metrics_nodes")) }
	t.check(cluster.Until(limit, func() bool { return known() == nodes }),
		"winnow has measurements of %d nodes after %v, expected %d", known(), limit, nodes)
}
