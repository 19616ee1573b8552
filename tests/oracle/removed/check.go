package main

import (
	"encoding/json"
	"os"

	"k8s.io/kube-scheduler/config/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// checked is what upstream says of one configuration file.
type checked struct {
	File     string            `json:"file"`
	Accepted bool              `json:"accepted"`
	Stage    string            `json:"stage,omitempty"` // load, validate or new.
	Error    string            `json:"error,omitempty"`
	Profiles []*checkedProfile `json:"profiles,omitempty"`
}

// checkedProfile has the plugins in the order in which upstream runs them, and their arguments with all defaults, as v1beta1
// writes them.
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

// checkAll prints a line for each file.
func checkAll(files []string) error {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, file := range files {
		if err := out.Encode(check(file)); err != nil {
			return err
		}
	}
	return nil
}

// check does with a file what kube-scheduler does before it listens: its options' ApplyTo, then scheduler.New.
func check(file string) checked {
	refused := func(stage string, err error) checked { return checked{File: file, Stage: stage, Error: err.Error()} }
	text, err := os.ReadFile(file)
	if err != nil {
		return refused("load", err)
	}
	c, err := load(text)
	if err != nil {
		return refused("load", err)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return refused("validate", err)
	}
	s, err := newUpstream(c, newInformers(client, nil))
	if err != nil {
		return refused("new", err)
	}
	defer s.close()
	result := checked{File: file, Accepted: true}
	for _, p := range c.Profiles { // In the file's order.
		one := resolved(p.SchedulerName, s.upstream.Profiles[p.SchedulerName].ListPlugins())
		if one.Arguments, err = arguments(p.PluginConfig); err != nil {
			return refused("print", err)
		}
		result.Profiles = append(result.Profiles, one)
	}
	return result
}

func resolved(name string, plugins *config.Plugins) *checkedProfile {
	p := &checkedProfile{Name: name, PreFilter: namesOf(plugins.PreFilter), Filter: namesOf(plugins.Filter),
		PreScore: namesOf(plugins.PreScore), Score: []weighted{}}
	for _, plugin := range plugins.Score.Enabled {
		p.Score = append(p.Score, weighted{plugin.Name, plugin.Weight})
	}
	return p
}

func namesOf(set config.PluginSet) []string {
	names := []string{}
	for _, plugin := range set.Enabled {
		names = append(names, plugin.Name)
	}
	return names
}

// arguments are those of the plugins that upstream knows; others' it keeps unread.
func arguments(configured []config.PluginConfig) (map[string]interface{}, error) {
	found := map[string]interface{}{}
	for _, one := range configured {
		if !scheme.Scheme.Recognizes(config.SchemeGroupVersion.WithKind(one.Name + "Args")) {
			continue
		}
		args, err := scheme.Scheme.ConvertToVersion(one.Args, v1beta1.SchemeGroupVersion)
		if err != nil {
			return nil, err
		}
		found[one.Name] = args
	}
	return found, nil
}
