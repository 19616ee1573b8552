package upstream

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	api "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubernetes/test/utils/client-go/ktesting"
	"winnow.test/scheduler_perf/setup"
)

// winnow beside the benchmark; nil is none.
type winnow struct {
	cmd          *exec.Cmd
	ended        chan error
	url, metrics string // metrics is the file that has them at the end.
}

// startWinnow returns when it is ready.
func startWinnow(tCtx ktesting.TContext, s setup.Setup) (*winnow, error) {
	if len(s.Winnow) == 0 {
		return nil, nil
	}
	if err := applyPolicy(tCtx, s.Policy); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(filepath.Dir(s.Result), "kubeconfig")
	if err := writeKubeconfig(kubeconfig, tCtx.RESTConfig()); err != nil {
		return nil, err
	}
	log, err := os.Create(s.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := append(s.Winnow[1:], "--kubeconfig", kubeconfig, "--port", strconv.Itoa(s.Port))
	w := &winnow{cmd: exec.Command(s.Winnow[0], args...), ended: make(chan error, 1),
		url: fmt.Sprintf("http://127.0.0.1:%d", s.Port), metrics: filepath.Join(filepath.Dir(s.Result), "winnow.metrics")}
	w.cmd.Stdout, w.cmd.Stderr = log, log
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { w.ended <- w.cmd.Wait() }()
	if err := w.waitReady(); err != nil {
		w.cmd.Process.Kill()
		return nil, fmt.Errorf("winnow: %w; see %s", err, s.Log)
	}
	return w, nil
}

func (w *winnow) waitReady() error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-w.ended:
			return fmt.Errorf("it ended: %v", err)
		default:
		}
		if _, err := w.get("/readyz"); err == nil {
			return nil
		}
	}
	return fmt.Errorf("not ready after 30 s")
}

func (w *winnow) pid() int {
	if w == nil {
		return 0
	}
	return w.cmd.Process.Pid
}

// stop it, and set what only Winnow knows.
func (w *winnow) stop(result *setup.Result) {
	if w == nil {
		return
	}
	if text, err := w.get("/metrics"); err == nil {
		os.WriteFile(w.metrics, []byte(text), 0o644)
		result.Nominated = sum(text, "winnow_nominations_total{", "")
		result.Followed = sum(text, "winnow_nominations_total{", `outcome="followed"`)
	}
	w.cmd.Process.Signal(syscall.SIGTERM)
	<-w.ended
}

// A connection that is kept would be a goroutine too many for upstream's check at the end.
var client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

func (w *winnow) get(path string) (string, error) {
	answer, err := client.Get(w.url + path)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, answer.Status)
	}
	return string(text), err
}

// sum of the series that begin and contain so.
func sum(metrics, begin, part string) (total float64) {
	for _, line := range strings.Split(metrics, "\n") {
		if strings.HasPrefix(line, begin) && strings.Contains(line, part) {
			value, _ := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			total += value
		}
	}
	return total
}

func writeKubeconfig(path string, from *rest.Config) error {
	config := api.NewConfig()
	config.Clusters["perf"] = &api.Cluster{Server: from.Host, TLSServerName: from.ServerName,
		CertificateAuthority: from.CAFile, CertificateAuthorityData: from.CAData}
	config.AuthInfos["perf"] = &api.AuthInfo{Token: from.BearerToken}
	config.Contexts["perf"] = &api.Context{Cluster: "perf", AuthInfo: "perf"}
	config.CurrentContext = "perf"
	return clientcmd.WriteToFile(*config, path)
}
