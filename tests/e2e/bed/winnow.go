package bed

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// WinnowProcess is a running winnow.
type WinnowProcess struct {
	*Process
	URL string
}

// WinnowCommand is the program and the arguments before its own: one element, unless it is run by another program.
type WinnowCommand []string

// StartWinnow runs `winnow serve` as the user in the cluster that the API servers show, on the port (0: any), and
// does not wait until it is ready.
func (b *Bed) StartWinnow(command WinnowCommand, user string, port int, flags ...string) (*WinnowProcess, error) {
	servers := b.forWinnow()
	kubeconfig, err := b.Kubeconfig(user, servers[0])
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = freePort()
	}
	args := append(append([]string{}, command[1:]...), "serve", "--kubeconfig", kubeconfig, "--port", strconv.Itoa(port))
	for _, server := range servers {
		args = append(args, "--master", server)
	}
	address := b.addressOf(WinnowName)
	if b.Network != nil {
		args = append(args, "--bind-address", address)
	}
	p, err := b.startIn(WinnowName, b.Story+"winnow", command[0], append(args, flags...)...)
	if err != nil {
		return nil, err
	}
	scheme := "http"
	if slices.Contains(flags, "--tls-cert-file") {
		scheme = "https"
	}
	return &WinnowProcess{Process: p, URL: fmt.Sprintf("%s://%s:%d", scheme, address, port)}, nil
}

// Port that it listens on.
func (w *WinnowProcess) Port() int {
	port, _ := strconv.Atoi(w.URL[strings.LastIndexByte(w.URL, ':')+1:])
	return port
}

// WaitReady returns when /readyz says so.
func (w *WinnowProcess) WaitReady() error { return waitReady(w.Process, w.URL+"/readyz") }

// Ready says what /readyz says now.
func (w *WinnowProcess) Ready() bool { return w.is("/readyz") }

// Live says what /livez says now.
func (w *WinnowProcess) Live() bool { return w.is("/livez") }

func (w *WinnowProcess) is(path string) bool {
	code, _, err := Get(w.URL + path)
	return err == nil && code == http.StatusOK
}

// Metric adds up the series of a name whose labels contain all of the texts.
func Metric(url, name string, labels ...string) (sum float64, err error) {
	return MetricBy("", url, name, labels...)
}

// MetricBy does the same by a bearer token; "": none.
func MetricBy(token, url, name string, labels ...string) (sum float64, err error) {
	code, body, err := GetBy(token, url+"/metrics")
	if err != nil || code != http.StatusOK {
		return 0, fmt.Errorf("metrics of %s: %d %v", url, code, err)
	}
	for _, line := range strings.Split(body, "\n") {
		series, value, found := cutLast(line)
		if !found || (series != name && !strings.HasPrefix(series, name+"{")) || !containsAll(series, labels) {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("metrics of %s: %q", url, line)
		}
		sum += number
	}
	return sum, nil
}

func cutLast(line string) (before, after string, found bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 || strings.HasPrefix(line, "#") {
		return "", "", false
	}
	return line[:i], line[i+1:], true
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

var asker = &http.Client{Timeout: 10 * time.Second, Transport: probe.Transport}

// Post sends JSON and gives the status and the answer.
func Post(url, body string) (int, string, error) {
	answer, err := asker.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	var text strings.Builder
	_, err = io.Copy(&text, answer.Body)
	return answer.StatusCode, text.String(), err
}
