package usage

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Path is where the API servers serve what the API here answers.
const Path = "/apis/metrics.k8s.io/v1beta1"

// State is how the API answers.
type State int

const (
	Sound   State = iota
	Refuses       // 503, as metrics-server while it has nothing.
	Hangs         // No answer.
)

// API is a server of metrics.k8s.io/v1beta1, as metrics-server behind the API servers: it measures all nodes at equal
// intervals, and tells the averages between the last two times.
type API struct {
	Port int

	truth    *Truth
	interval time.Duration
	began    time.Time
	server   *http.Server

	mutex   sync.Mutex
	state   State
	changed chan struct{} // Closed by the next change of the state.
	asked   int
}

// StartAPI listens on loopback until Stop, with that certificate. The interval is metrics-server's --metric-resolution, in
// whole seconds.
func StartAPI(truth *Truth, interval time.Duration, certificate, key string) (*API, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &API{Port: listener.Addr().(*net.TCPAddr).Port, truth: truth, interval: interval,
		began: time.Now().Truncate(time.Second), changed: make(chan struct{})}
	routes := http.NewServeMux()
	routes.HandleFunc("GET "+Path, a.resources)
	routes.HandleFunc("GET "+Path+"/nodes", a.nodes)
	a.server = &http.Server{Handler: routes, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	go a.server.ServeTLS(listener, "", "")
	return a, nil
}

// Stop ends all requests, too.
func (a *API) Stop() {
	a.Turn(Sound)
	a.server.Close()
}

// Turn changes how it answers. What hangs is answered then.
func (a *API) Turn(state State) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.state = state
	close(a.changed)
	a.changed = make(chan struct{})
}

// Asked is how often it was asked about nodes.
func (a *API) Asked() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.asked
}

// resources is what API servers ask to see whether it is there, and clients to see what it has.
func (a *API) resources(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1",
		"resources": []any{map[string]any{"name": "nodes", "singularName": "", "namespaced": false, "kind": "NodeMetrics",
			"verbs": []string{"get", "list"}}},
	})
}

func (a *API) nodes(w http.ResponseWriter, request *http.Request) {
	a.count()
	for {
		state, changed := a.now()
		if state == Hangs {
			select {
			case <-request.Context().Done():
				return
			case <-changed:
			}
			continue
		}
		if list, measured := a.list(time.Now()); state == Sound && measured {
			answer(w, http.StatusOK, list)
			return
		}
		answer(w, http.StatusServiceUnavailable, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure",
			"message": "no metrics known", "reason": "ServiceUnavailable", "code": http.StatusServiceUnavailable})
		return
	}
}

func (a *API) count() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.asked++
}

func (a *API) now() (State, chan struct{}) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.state, a.changed
}

// list is the NodeMetricsList of that time, if two measurements have been made. Amounts are spelled as metrics-server does.
func (a *API) list(now time.Time) (list map[string]any, measured bool) {
	last := a.began.Add(now.Sub(a.began) / a.interval * a.interval)
	if last.Sub(a.began) < a.interval {
		return nil, false
	}
	const perCore = 4 << 20 // KiB: memory follows the cores.
	var items []any
	used := a.truth.measured(last.Add(-a.interval), last)
	for _, name := range slices.Sorted(maps.Keys(used)) {
		items = append(items, map[string]any{
			"metadata":  map[string]any{"name": name, "creationTimestamp": now.UTC().Format(time.RFC3339)},
			"timestamp": last.UTC().Format(time.RFC3339),
			"window":    a.interval.String(),
			"usage": map[string]any{"cpu": fmt.Sprintf("%dn", int64(used[name]*1e9)),
				"memory": fmt.Sprintf("%dKi", int64(used[name]*perCore))},
		})
	}
	return map[string]any{"kind": "NodeMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": map[string]any{},
		"items": items}, true
}

func answer(w http.ResponseWriter, code int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(body)
}
