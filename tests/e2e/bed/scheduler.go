package bed

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"sigs.k8s.io/yaml"
)

// KubeScheduler is a running kube-scheduler.
type KubeScheduler struct {
	*Process
	URL string
}

// StartScheduler runs kube-scheduler with a KubeSchedulerConfiguration as users write it; who it is, no leader election,
// a short back-off and enough requests a second are added. Extender is the address that takes the place of Winnow's
// default one, "" for none.
func (b *Bed) StartScheduler(configuration, extender string, options ...string) (*KubeScheduler, error) {
	config, err := b.completed(configuration, extender)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(b.folder, "scheduler.yaml")
	if err := os.WriteFile(path, config, 0o644); err != nil {
		return nil, err
	}
	port := freePort()
	kubeconfig := filepath.Join(b.folder, "kube-scheduler.kubeconfig") // Written by completed().
	args := append([]string{"--config", path, "--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(port),
		"--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
		"--authentication-tolerate-lookup-failure", "--authorization-always-allow-paths", "/healthz,/readyz,/livez,/metrics",
		"--tls-cert-file", b.certificates.Cert, "--tls-private-key-file", b.certificates.Key}, options...)
	p, err := startProcess(b.folder, "kube-scheduler", filepath.Join(b.binaries, "kube-scheduler"), args...)
	if err != nil {
		return nil, err
	}
	s := &KubeScheduler{Process: p, URL: fmt.Sprintf("https://127.0.0.1:%d", port)}
	return s, waitReady(p, s.URL+"/readyz")
}

func (b *Bed) completed(configuration, extender string) ([]byte, error) {
	config := map[string]any{}
	if err := yaml.Unmarshal([]byte(configuration), &config); err != nil {
		return nil, fmt.Errorf("KubeSchedulerConfiguration: %w", err)
	}
	kubeconfig, err := b.Kubeconfig(Scheduler, b.Balancer.URL)
	if err != nil {
		return nil, err
	}
	add := map[string]any{
		"clientConnection":         map[string]any{"kubeconfig": kubeconfig, "qps": 5000, "burst": 5000},
		"leaderElection":           map[string]any{"leaderElect": false},
		"podInitialBackoffSeconds": 1,
		"podMaxBackoffSeconds":     2,
	}
	maps.Copy(config, add)
	if extenders, ok := config["extenders"].([]any); ok && extender != "" {
		extenders[0].(map[string]any)["urlPrefix"] = extender
	}
	return yaml.Marshal(config)
}
