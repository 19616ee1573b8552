package main

import (
	"crypto/x509"
	"net/http"
	"strings"
	"time"

	authentication "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// overTLS: kube-scheduler calls Winnow with enableHTTPS and a client certificate, the server's certificate is renewed
// meanwhile, and who has no certificate is refused. By --authorization-webhook a service account's token opens what its
// user may read, and nothing else.
func overTLS(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(6, 3)))
	t.apply("token-reviews.yaml")
	t.startWithTLS("--authorization-webhook", "apiserver")

	t.add(cluster.Pods("first", 20)...)
	t.nodesOf("first", 20)
	_, err := t.Issue("winnow.kube-system.svc", x509.ExtKeyUsageServerAuth)
	t.must(err)
	time.Sleep(6 * time.Second) // Winnow looks every five.
	t.add(cluster.Pods("second", 20)...)
	t.nodesOf("second", 20)

	code, text, err := bed.Get(t.Winnow.URL + "/rules")
	t.check(err == nil && code == http.StatusUnauthorized, "without a certificate /rules says %d %s (%v)", code, text, err)
	t.byToken()
}

// byToken: what tokens open, as long as their users may.
func (t *T) byToken() {
	reader, stranger := t.tokenOf("reader"), t.tokenOf("stranger")
	taken := t.bind("winnow-metrics", "reader")
	binds, err := bed.MetricBy(reader, t.Winnow.URL, "winnow_binds_total")
	t.check(err == nil && binds == 40, "winnow has bound %v pods (%v)", binds, err)
	t.says(stranger, "/metrics", http.StatusForbidden,
		`forbidden: User "system:serviceaccount:`+cluster.Namespace+`:stranger" cannot get path "/metrics"`)
	t.says(reader, "/rules", http.StatusForbidden, `cannot get path "/rules"`)
	t.says(t.tokenOf("reader", "another-audience"), "/metrics", http.StatusUnauthorized, "Unauthorized")
	t.says("nonsense", "/metrics", http.StatusUnauthorized, "Unauthorized")
	t.says("", "/metrics", http.StatusUnauthorized, "Unauthorized")
	t.bind("winnow-explain", "stranger")
	explain := t.Winnow.URL + "/explain"
	code, text, err := bed.PostBy(stranger, explain, `{"Namespace":"`+cluster.Namespace+`","Name":"first-0000"}`)
	t.check(err == nil && code == http.StatusOK && strings.Contains(text, `"pod":"`), "/explain says %d %s (%v)", code, text, err)
	for _, verb := range []string{"filter", "prioritize", "preempt", "bind"} {
		code, text, err := bed.PostBy(stranger, t.Winnow.URL+"/"+verb, "{}")
		t.check(err == nil && code == http.StatusUnauthorized, "by a token /%s says %d %s (%v)", verb, code, text, err)
	}
	taken() // What was allowed is kept for ten seconds.
	t.check(cluster.Until(20*time.Second, func() bool {
		code, _, err := bed.GetBy(reader, t.Winnow.URL+"/metrics")
		return err == nil && code == http.StatusForbidden
	}), "20 s after a right was taken away the token still opens /metrics")
	t.check(!strings.Contains(t.Winnow.Tail(1000), reader[:20]), "winnow's log has a token")
}

// says: a path is answered so to whoever shows the token.
func (t *T) says(token, path string, status int, part string) {
	code, text, err := bed.GetBy(token, t.Winnow.URL+path)
	t.check(err == nil && code == status && strings.Contains(text, part), "%s says %d %s (%v)", path, code, text, err)
}

// tokenOf gives a token of the service account, which is made where it is not there: for the API servers, if no other
// audiences are named.
func (t *T) tokenOf(account string, audiences ...string) string {
	accounts := t.Client.CoreV1().ServiceAccounts(cluster.Namespace)
	_, err := accounts.Create(t.Ctx, &v1.ServiceAccount{ObjectMeta: meta.ObjectMeta{Name: account}}, meta.CreateOptions{})
	if err != nil && !errors.IsAlreadyExists(err) {
		t.must(err)
	}
	t.later(func() { accounts.Delete(t.Ctx, account, meta.DeleteOptions{}) })
	request := &authentication.TokenRequest{Spec: authentication.TokenRequestSpec{Audiences: audiences}}
	made, err := accounts.CreateToken(t.Ctx, account, request, meta.CreateOptions{})
	t.must(err)
	return made.Status.Token
}

// bind gives the service account a ClusterRole of token-reviews.yaml, and what takes it away.
func (t *T) bind(role, account string) (undo func()) {
	bindings := t.Client.RbacV1().ClusterRoleBindings()
	_, err := bindings.Create(t.Ctx, &rbac.ClusterRoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: role + "-" + account},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbac.Subject{{Kind: rbac.ServiceAccountKind, Namespace: cluster.Namespace, Name: account}},
	}, meta.CreateOptions{})
	t.must(err)
	undo = func() { bindings.Delete(t.Ctx, role+"-"+account, meta.DeleteOptions{}) }
	t.later(undo)
	time.Sleep(500 * time.Millisecond) // RBAC's own watch.
	return undo
}

// startWithTLS is start for a Winnow that kube-scheduler reaches over a network.
func (t *T) startWithTLS(flags ...string) {
	server, err := t.Issue("winnow.kube-system.svc", x509.ExtKeyUsageServerAuth)
	t.must(err)
	client, err := t.Issue("kube-scheduler-of-the-bed", x509.ExtKeyUsageClientAuth)
	t.must(err)
	t.grant()
	t.startWinnow(today, append([]string{"--tls-cert-file", server.Cert, "--tls-private-key-file", server.Key,
		"--client-ca-file", server.CA, "--allowed-client-names", "kube-scheduler-of-the-bed"}, flags...)...)
	t.startScheduler(t.withTLS(t.configuration(), client), t.Winnow.URL)
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
