// Says of KubeSchedulerConfiguration files what kube-scheduler v1.28.15 says of them, the last release that served v1beta3.
// Usage: v1beta3 -check FILE…
package main

import (
	"context"
	"encoding/json"
	"os"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	v1beta "k8s.io/kube-scheduler/config/v1beta3"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// checked is what upstream says of one file.
type checked struct {
	File     string            `json:"file"`
	Accepted bool              `json:"accepted"`
	Stage    string            `json:"stage,omitempty"`
	Error    string            `json:"error,omitempty"`
	Profiles []*checkedProfile `json:"profiles,omitempty"`
}

// checkedProfile has the plugins in the order in which upstream runs them, and their arguments with all defaults.
type checkedProfile struct {
	Name      string                 `json:"name"`
	PreFilter []string               `json:"preFilter"`
	Filter    []string               `json:"filter"`
	PreScore  []string               `json:"preScore"`
	Score     []weighted             `json:"score"`
	Arguments map[string]interface{} `json:"args,omitempty"`
}
type weighted struct {
	Name   string `json:"name"`
	Weight int32  `json:"weight"`
}

func namesOf(set config.PluginSet) []string {
	names := []string{}
	for _, plugin := range set.Enabled {
		names = append(names, plugin.Name)
	}
	return names
}

func check(file string) checked {
	refused := func(stage string, err error) checked { return checked{File: file, Stage: stage, Error: err.Error()} }
	text, err := os.ReadFile(file)
	if err != nil {
		return refused("load", err)
	}
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return refused("load", err)
	}
	c := object.(*config.KubeSchedulerConfiguration)
	c.TypeMeta.APIVersion = kind.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return refused("validate", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	var captured = map[string]config.KubeSchedulerProfile{}
	s, err := upstream.New(ctx, client, informers.NewSharedInformerFactory(client, 0), nil,
		func(string) events.EventRecorder { return nil },
		upstream.WithComponentConfigVersion(c.TypeMeta.APIVersion),
		upstream.WithProfiles(c.Profiles...),
		upstream.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		upstream.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		upstream.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		upstream.WithExtenders(c.Extenders...),
		upstream.WithBuildFrameworkCapturer(func(p config.KubeSchedulerProfile) { captured[p.SchedulerName] = p }),
		upstream.WithParallelism(c.Parallelism))
	if err != nil {
		return refused("new", err)
	}
	result := checked{File: file, Accepted: true}
	for _, p := range c.Profiles {
		plugins := s.Profiles[p.SchedulerName].ListPlugins()
		one := &checkedProfile{Name: p.SchedulerName, PreFilter: namesOf(plugins.PreFilter), Filter: namesOf(plugins.Filter),
			PreScore: namesOf(plugins.PreScore), Score: []weighted{}, Arguments: map[string]interface{}{}}
		for _, plugin := range plugins.Score.Enabled {
			one.Score = append(one.Score, weighted{plugin.Name, plugin.Weight})
		}
		for _, a := range p.PluginConfig {
			if !scheme.Scheme.Recognizes(config.SchemeGroupVersion.WithKind(a.Name + "Args")) {
				continue
			}
			args, err := scheme.Scheme.ConvertToVersion(a.Args, v1beta.SchemeGroupVersion)
			if err != nil {
				return refused("print", err)
			}
			one.Arguments[a.Name] = args
		}
		result.Profiles = append(result.Profiles, one)
	}
	return result
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, file := range os.Args[1:] {
		if file == "-check" {
			continue
		}
		if err := out.Encode(check(file)); err != nil {
			panic(err)
		}
	}
}
