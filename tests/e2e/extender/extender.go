// Package extender is an extender whose answers are made by hand, and a record of what kube-scheduler asked it.
package extender

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	wire "k8s.io/kube-scheduler/extender/v1"
)

// Extender answers what its functions say; a verb without one answers what changes nothing.
type Extender struct {
	URL        string
	Filter     func(pod *v1.Pod, nodes []string) *wire.ExtenderFilterResult
	Prioritize func(pod *v1.Pod, nodes []string) wire.HostPriorityList
	Preempt    func(*wire.ExtenderPreemptionArgs) map[string]*wire.MetaVictims
	Bind       func(*wire.ExtenderBindingArgs) error
	Forget     bool // Keep no record: for measuring.

	mutex  sync.Mutex
	calls  []Call
	server *http.Server
}

// Call is one question and its answer.
type Call struct {
	At     time.Time
	Verb   string
	Pod    string
	Asked  int    // Nodes.
	Answer string // In short.
	Args   any
}

// Start listens on a free port of loopback.
func (e *Extender) Start() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/filter", e.filter)
	mux.HandleFunc("/prioritize", e.prioritize)
	mux.HandleFunc("/preempt", e.preempt)
	mux.HandleFunc("/bind", e.bind)
	e.URL = "http://" + listener.Addr().String()
	e.server = &http.Server{Handler: mux}
	go e.server.Serve(listener)
	return nil
}

// Stop refuses further connections.
func (e *Extender) Stop() { e.server.Close() }

// Calls so far, of one verb or ("") of all, for one pod or ("") for all.
func (e *Extender) Calls(verb, pod string) (found []Call) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, call := range e.calls {
		if (verb == "" || call.Verb == verb) && (pod == "" || call.Pod == pod) {
			found = append(found, call)
		}
	}
	return found
}

func (e *Extender) note(call Call) {
	if e.Forget {
		return
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	call.At = time.Now()
	e.calls = append(e.calls, call)
}

func (e *Extender) filter(w http.ResponseWriter, r *http.Request) {
	var args wire.ExtenderArgs
	if !read(w, r, &args) {
		return
	}
	result := &wire.ExtenderFilterResult{NodeNames: args.NodeNames}
	if e.Filter != nil {
		result = e.Filter(args.Pod, *args.NodeNames)
	}
	e.note(Call{Verb: "filter", Pod: args.Pod.Name, Asked: len(*args.NodeNames), Answer: inShort(result), Args: &args})
	write(w, result)
}

func (e *Extender) prioritize(w http.ResponseWriter, r *http.Request) {
	var args wire.ExtenderArgs
	if !read(w, r, &args) {
		return
	}
	list := wire.HostPriorityList{}
	if e.Prioritize != nil {
		list = e.Prioritize(args.Pod, *args.NodeNames)
	} else {
		for _, name := range *args.NodeNames {
			list = append(list, wire.HostPriority{Host: name})
		}
	}
	e.note(Call{Verb: "prioritize", Pod: args.Pod.Name, Asked: len(*args.NodeNames), Args: &args})
	write(w, list)
}

func (e *Extender) preempt(w http.ResponseWriter, r *http.Request) {
	var args wire.ExtenderPreemptionArgs
	if !read(w, r, &args) {
		return
	}
	result := wire.ExtenderPreemptionResult{NodeNameToMetaVictims: args.NodeNameToMetaVictims}
	if e.Preempt != nil {
		result.NodeNameToMetaVictims = e.Preempt(&args)
	}
	answer := fmt.Sprintf("%d of %d candidates", len(result.NodeNameToMetaVictims), len(args.NodeNameToMetaVictims))
	e.note(Call{Verb: "preempt", Pod: args.Pod.Name, Asked: len(args.NodeNameToMetaVictims), Answer: answer, Args: &args})
	write(w, result)
}

func (e *Extender) bind(w http.ResponseWriter, r *http.Request) {
	var args wire.ExtenderBindingArgs
	if !read(w, r, &args) {
		return
	}
	var result wire.ExtenderBindingResult
	if e.Bind == nil {
		result.Error = "bind is off"
	} else if err := e.Bind(&args); err != nil {
		result.Error = err.Error()
	}
	e.note(Call{Verb: "bind", Pod: args.PodName, Answer: args.Node + " " + result.Error, Args: &args})
	write(w, result)
}

func inShort(result *wire.ExtenderFilterResult) string {
	if result.Error != "" {
		return "error " + result.Error
	}
	if result.NodeNames == nil {
		return "nothing"
	}
	names := *result.NodeNames
	if len(names) == 1 {
		return "only " + names[0]
	}
	return fmt.Sprintf("%d pass, %d fail, %d never", len(names), len(result.FailedNodes), len(result.FailedAndUnresolvableNodes))
}

func read(w http.ResponseWriter, r *http.Request, args any) bool {
	err := json.NewDecoder(r.Body).Decode(args)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

func write(w http.ResponseWriter, answer any) {
	text, _ := json.Marshal(answer)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	w.Write(text)
}

// Pass lets these nodes through, and fails the others for the reason.
func Pass(pass, fail []string, reason string) *wire.ExtenderFilterResult {
	if pass == nil {
		pass = []string{}
	}
	result := &wire.ExtenderFilterResult{NodeNames: &pass, FailedNodes: wire.FailedNodesMap{}}
	for _, name := range fail {
		result.FailedNodes[name] = reason
	}
	return result
}
