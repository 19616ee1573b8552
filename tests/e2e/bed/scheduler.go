package bed

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"sigs.k8s.io/yaml"
)

// KubeScheduler is a running kube-scheduler; it can be killed and started again on its port.
type KubeScheduler struct {
	*Process
	URL string

	bed     *Bed
	program string
	args    []string
}

// Launch starts it, and does not wait until it is ready.
func (s *KubeScheduler) Launch() (err error) {
	s.Process, err = s.bed.startIn(SchedulerName, s.bed.Story+"kube-scheduler", s.bed.binary(s.program), s.args...)
	return err
}

// WaitReady returns when /readyz says so.
func (s *KubeScheduler) WaitReady() error { return waitReady(s.Process, s.URL+"/readyz") }

// StartScheduler runs kube-scheduler with a KubeSchedulerConfiguration as users write it; who it is, no leader
// election (unless it is spoken of), a short back-off and enough requests a second are added. Extender is the address
// that takes the place of Winnow's default one, "" for none.
func (b *Bed) StartScheduler(configuration, extender string) (*KubeScheduler, error) {
	return b.StartSchedulerOf("", configuration, extender)
}

// StartSchedulerOf runs another program than kube-scheduler v1.37, if one is named.
func (b *Bed) StartSchedulerOf(program, configuration, extender string) (*KubeScheduler, error) {
	return b.startScheduler(cmp.Or(program, SchedulerName), Scheduler, configuration, extender)
}

// StartSchedulerAs runs it as another user than the bed's kube-scheduler.
func (b *Bed) StartSchedulerAs(user, configuration, extender string) (*KubeScheduler, error) {
	return b.startScheduler(SchedulerName, user, configuration, extender)
}

func (b *Bed) startScheduler(program, user, configuration, extender string) (*KubeScheduler, error) {
	balancer, err := b.forScheduler()
	if err != nil {
		return nil, err
	}
	kubeconfig, err := b.Kubeconfig(user, balancer)
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
	port, address := freePort(), b.addressOf(SchedulerName)
	s := &KubeScheduler{URL: fmt.Sprintf("https://%s:%d", address, port), bed: b, program: program, args: []string{
		"--config", path, "--bind-address", address, "--secure-port", strconv.Itoa(port),
		"--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
		"--authentication-tolerate-lookup-failure", "--authorization-always-allow-paths", "/healthz,/readyz,/livez,/metrics",
		"--tls-cert-file", b.certificates.Cert, "--tls-private-key-file", b.certificates.Key}}
	if b.Gates != "" {
		s.args = append(s.args, "--feature-gates", b.Gates)
	}
	if err := s.Launch(); err != nil {
		return nil, err
	}
	return s, s.WaitReady()
}

// forScheduler is where kube-scheduler reaches the API servers.
func (b *Bed) forScheduler() (string, error) {
	if b.Network == nil {
		return b.Balancer.URL, nil
	}
	return b.startSchedulersBalancer()
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
