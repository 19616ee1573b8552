// Says of KubeSchedulerConfiguration files what kube-scheduler v1.18.20 says of them, the last release that served v1alpha1 and
// v1alpha2.
// Usage: v1alpha -check FILE…
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/codec"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"winnow.test/oracle/common/answer"
)

// load decodes as cmd/kube-scheduler does: leniently, if the strict decoder finds an unknown field in a file of v1alpha1.
func load(text []byte) (*config.KubeSchedulerConfiguration, error) {
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil && runtime.IsStrictDecodingError(err) {
		_, lenient, failed := codec.NewLenientSchemeAndCodecs(config.AddToScheme, v1alpha1.AddToScheme)
		if failed != nil {
			return nil, failed
		}
		if object, kind, failed = lenient.UniversalDecoder().Decode(text, nil, nil); failed == nil {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	c, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("a %s is no KubeSchedulerConfiguration", kind)
	}
	return c, nil
}

// check does with a file what kube-scheduler does before it listens: its options' ApplyTo, then scheduler.New.
func check(file string) answer.Checked {
	text, err := os.ReadFile(file)
	if err != nil {
		return answer.Refused(file, "load", err)
	}
	c, err := load(text)
	if err != nil {
		return answer.Refused(file, "load", err)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c).ToAggregate(); err != nil {
		return answer.Refused(file, "validate", err)
	}
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	stop := make(chan struct{})
	defer close(stop)
	s, err := upstream.New(client, informers.NewSharedInformerFactory(client, 0), upstream.NewPodInformer(client, 0),
		func(string) events.EventRecorder { return nil }, stop,
		upstream.WithProfiles(c.Profiles...),
		upstream.WithAlgorithmSource(c.AlgorithmSource),
		upstream.WithPreemptionDisabled(c.DisablePreemption),
		upstream.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		upstream.WithBindTimeoutSeconds(c.BindTimeoutSeconds),
		upstream.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		upstream.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		upstream.WithExtenders(c.Extenders...))
	if err != nil {
		return answer.Refused(file, "new", err)
	}
	result := answer.Checked{File: file, Accepted: true}
	for _, p := range c.Profiles { // In the file's order.
		made := s.Profiles[p.SchedulerName].Framework
		one := resolved(p.SchedulerName, made.ListPlugins())
		if one.Arguments, err = arguments(made, p.PluginConfig); err != nil {
			return answer.Refused(file, "print", err)
		}
		result.Profiles = append(result.Profiles, one)
	}
	return result
}

func resolved(name string, plugins map[string][]config.Plugin) *answer.CheckedProfile {
	p := &answer.CheckedProfile{Name: name, PreFilter: namesOf(plugins["PreFilterPlugin"]), Filter: namesOf(plugins["FilterPlugin"]),
		PreScore: namesOf(plugins["PreScorePlugin"]), Score: []answer.Weighted{}}
	for _, plugin := range plugins["ScorePlugin"] {
		p.Score = append(p.Score, answer.Weighted{Name: plugin.Name, Weight: plugin.Weight})
	}
	return p
}

func namesOf(plugins []config.Plugin) []string {
	names := []string{}
	for _, plugin := range plugins {
		names = append(names, plugin.Name)
	}
	return names
}

// checkApart asks in a process of its own, since v1.18 ends itself for a rule of a Policy that it does not know.
func checkApart(file string) (json.RawMessage, error) {
	line, err := exec.Command(os.Args[0], file).Output()
	if exited, ok := err.(*exec.ExitError); ok {
		lines := strings.Split(strings.TrimSpace(string(exited.Stderr)), "\n")
		_, last, _ := strings.Cut(lines[len(lines)-1], "] ")
		line, err := json.Marshal(answer.Checked{File: file, Stage: "new", Error: "ends itself: " + last})
		return append(line, '\n'), err
	}
	return line, err
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if len(os.Args) == 2 {
		if err := out.Encode(check(os.Args[1])); err != nil {
			panic(err)
		}
		return
	}
	for _, file := range os.Args[2:] {
		line, err := checkApart(file)
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(line)
	}
}
