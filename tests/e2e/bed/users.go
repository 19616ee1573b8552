package bed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	api "k8s.io/client-go/tools/clientcmd/api"
)

// The users of the bed, by their tokens. Winnow is the service account of manifests/rbac.yaml, by name.
const (
	Admin     = "admin"
	Scheduler = "system:kube-scheduler"
	Winnow    = "system:serviceaccount:kube-system:winnow"
	Second    = "system:serviceaccount:kube-system:winnow-scheduler" // Of manifests/second-scheduler.yaml.
	Nominator = "system:serviceaccount:kube-system:winnow-nominator" // Of manifests/nominator.yaml.
	Reader    = "reader"                                             // Somebody without rights of their own.
)

const serviceAccount = "system:serviceaccounts,system:serviceaccounts:kube-system,system:authenticated"

var groups = map[string]string{
	Admin:     "system:masters",
	Scheduler: "system:authenticated",
	Winnow:    serviceAccount,
	Second:    serviceAccount,
	Nominator: serviceAccount,
	Reader:    "system:authenticated",
}

func token(user string) string { return fmt.Sprintf("token-of-%s", user) }

// WriteTokens writes the tokens that API servers take from their next start on: everybody's but those users'.
func (b *Bed) WriteTokens(not ...string) error {
	text := ""
	for user, of := range groups {
		if slices.Contains(not, user) {
			continue
		}
		text += fmt.Sprintf("%s,%s,%s,\"%s\"\n", token(user), user, user, of)
	}
	return os.WriteFile(filepath.Join(b.folder, "tokens.csv"), []byte(text), 0o600)
}

// Kubeconfig writes a kubeconfig by which the user reaches an API server (or the balancer), and returns its path.
func (b *Bed) Kubeconfig(user, server string) (string, error) {
	config := api.NewConfig()
	config.Clusters["e2e"] = &api.Cluster{Server: server, CertificateAuthorityData: b.certificates.CAData}
	config.AuthInfos["user"] = &api.AuthInfo{Token: token(user)}
	config.Contexts["e2e"] = &api.Context{Cluster: "e2e", AuthInfo: "user"}
	config.CurrentContext = "e2e"
	path := filepath.Join(b.folder, user[strings.LastIndexByte(user, ':')+1:]+".kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}

// KubeconfigByPlugin writes one whose user has a credential plugin: a script that prints the token, and adds a line to the
// second file that is returned.
func (b *Bed) KubeconfigByPlugin(user, server string) (path, runs string, err error) {
	if path, err = b.Kubeconfig(user, server); err != nil {
		return "", "", err
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return "", "", err
	}
	const version = "client.authentication.k8s.io/v1"
	path, runs = filepath.Join(b.folder, "plugin.kubeconfig"), filepath.Join(b.folder, "plugin.runs")
	// client-go ends what it tells the plugin by a newline, which $() cuts off.
	script := fmt.Sprintf("#!/bin/sh\necho \"$(echo \"$KUBERNETES_EXEC_INFO\")\" >>'%s'\n"+
		`echo '{"kind":"ExecCredential","apiVersion":"%s","status":{"token":"'"$1"'"}}'`+"\n", runs, version)
	if err = os.WriteFile(filepath.Join(b.folder, "plugin.sh"), []byte(script), 0o755); err != nil {
		return "", "", err
	}
	config.AuthInfos["user"] = &api.AuthInfo{Exec: &api.ExecConfig{
		APIVersion: version, Command: "./plugin.sh", Args: []string{token(user)},
		InteractiveMode: api.NeverExecInteractiveMode, ProvideClusterInfo: true,
	}}
	return path, runs, clientcmd.WriteToFile(*config, path)
}

// Config is how this program reaches the API servers as the user: without a limit of its own.
func (b *Bed) Config(user string) *rest.Config {
	return &rest.Config{
		Host:            b.Balancer.URL,
		BearerToken:     token(user),
		TLSClientConfig: rest.TLSClientConfig{CAData: b.certificates.CAData},
		QPS:             -1,
		ContentConfig:   rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"},
	}
}
