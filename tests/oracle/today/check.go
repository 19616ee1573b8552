package main

import (
	"encoding/json"
	"os"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
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

// checkedProfile has the plugins in the order in which upstream runs them, also those that Winnow has not.
type checkedProfile struct {
	Name      string     `json:"name"`
	PreFilter []string   `json:"preFilter"`
	Filter    []string   `json:"filter"`
	PreScore  []string   `json:"preScore"`
	Score     []weighted `json:"score"`
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
	c, err := options.LoadConfigFromFile(klog.Background(), file)
	if err != nil {
		return refused("load", err)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return refused("validate", err)
	}
	s, err := newUpstream(c, newInformers(client, nil, false))
	if err != nil {
		return refused("new", err)
	}
	defer s.close()
	result := checked{File: file, Accepted: true}
	for _, p := range c.Profiles { // In the file's order.
		result.Profiles = append(result.Profiles, resolved(p.SchedulerName, s.upstream.Profiles[p.SchedulerName].ListPlugins()))
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
