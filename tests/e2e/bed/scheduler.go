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

// StartScheduler runs kube-scheduler with a KubeSchedulerConfiguration as users write it; who it is, no leader
// election (unless it is spoken of), a short back-off and enough requests a second are added. Extender is the address
// that takes the place of Winnow's default one, "" for none.
func (b *Bed) StartScheduler(configuration, extender string) (*KubeScheduler, error) {
	return b.StartSchedulerAs(Scheduler, configuration, extender)
}

// StartSchedulerAs runs it as another user than the bed's kube-scheduler.
func (b *Bed) StartSchedulerAs(user, configuration, extender string) (*KubeScheduler, error) {
	kubeconfig, err := b.Kubeconfig(user, b.Balancer.URL)
	if err != nil {
		return nil, err
	}
	config, err := completed(configuration, kubeconfig, extender)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(b.folder, "scheduler.yaml")
	if err := os.WriteFile(path, config, 0o644); err != nil {
		return nil, err
	}
	port := freePort()
	p, err := startProcess(b.folder, b.Story+"kube-scheduler", filepath.Join(b.binaries, "kube-scheduler"),
		"--config", path, "--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(port),
		"--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
		"--authentication-tolerate-lookup-failure", "--authorization-always-allow-paths", "/healthz,/readyz,/livez,/metrics",
		"--tls-cert-file", b.certificates.Cert, "--tls-private-key-file", b.certificates.Key)
	if err != nil {
		return nil, err
	}
	s := &KubeScheduler{Process: p, URL: fmt.Sprintf("https://127.0.0.1:%d", port)}
	return s, waitReady(p, s.URL+"/readyz")
}

func completed(configuration, kubeconfig, extender string) ([]byte, error) {
	config := map[string]any{}
	if err := yaml.Unmarshal([]byte(configuration), &config); err != nil {
		return nil, fmt.Errorf("KubeSchedulerConfiguration: %w", err)
	}
	add := map[string]any{
		"clientConnection":         map[string]any{"kubeconfig": kubeconfig, "qps": 5000, "burst": 5000},
		"podInitialBackoffSeconds": 1,
		"podMaxBackoffSeconds":     2,
	}
	maps.Copy(config, add)
	if _, said := config["leaderElection"]; !said {
		config["leaderElection"] = map[string]any{"leaderElect": false}
	}
	if extenders, ok := config["extenders"].([]any); ok && extender != "" {
		extenders[0].(map[string]any)["urlPrefix"] = extender
	}
	return yaml.Marshal(config)
}
