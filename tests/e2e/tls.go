package main

import (
	"crypto/x509"
	"net/http"
	"time"

	"sigs.k8s.io/yaml"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// overTLS: kube-scheduler calls Winnow with enableHTTPS and a client certificate, the server's certificate is renewed
// meanwhile, and who has no certificate is refused.
func overTLS(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(6, 3)))
	server, err := t.Issue("winnow.kube-system.svc", x509.ExtKeyUsageServerAuth)
	t.must(err)
	client, err := t.Issue("kube-scheduler-of-the-bed", x509.ExtKeyUsageClientAuth)
	t.must(err)
	t.grant()
	t.startWinnow(today, "--tls-cert-file", server.Cert, "--tls-private-key-file", server.Key,
		"--client-ca-file", server.CA, "--allowed-client-names", "kube-scheduler-of-the-bed",
		"--anonymous-paths", "/livez,/readyz,/metrics")
	t.startScheduler(t.withTLS(t.read(t.manifest(ways[t.way].configuration)), client), t.Winnow.URL)

	t.add(cluster.Pods("first", 20)...)
	t.nodesOf("first", 20)
	_, err = t.Issue("winnow.kube-system.svc", x509.ExtKeyUsageServerAuth)
	t.must(err)
	time.Sleep(6 * time.Second) // Winnow looks every five.
	t.add(cluster.Pods("second", 20)...)
	t.nodesOf("second", 20)

	binds, err := bed.Metric(t.Winnow.URL, "winnow_binds_total")
	t.check(err == nil && binds == 40, "winnow has bound %v pods (%v)", binds, err)
	code, text, err := bed.Get(t.Winnow.URL + "/rules")
	t.check(err == nil && code == http.StatusUnauthorized, "without a certificate /rules says %d %s (%v)", code, text, err)
}

// withTLS gives the configuration's extender a client certificate, and the name that Winnow's certificate has.
func (t *T) withTLS(configuration string, client bed.Certificate) string {
	config := map[string]any{}
	t.must(yaml.Unmarshal([]byte(configuration), &config))
	extender := config["extenders"].([]any)[0].(map[string]any)
	extender["enableHTTPS"] = true
	extender["tlsConfig"] = map[string]any{
		"caFile": client.CA, "certFile": client.Cert, "keyFile": client.Key, "serverName": "winnow.kube-system.svc",
	}
	text, err := yaml.Marshal(config)
	t.must(err)
	return string(text)
}
