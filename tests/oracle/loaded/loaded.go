// Package loaded says of KubeSchedulerConfiguration files what kube-scheduler of v1.27 or v1.28 says of them. A program links
// it with the release that it asks.
package loaded

import (
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// checked is what upstream says of one file.
type checked struct {
	File     string            `json:"file"`
	Accepted bool              `json:"accepted"`
	Stage    string            `json:"stage,omitempty"` // load, validate or new.
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

// New calls scheduler.New, whose first parameters differ between the releases.
type New func(kubernetes.Interface, informers.SharedInformerFactory, func(string) events.EventRecorder,
	...upstream.Option) (*upstream.Scheduler, error)

// CheckAll prints a line for each of the command's files. Arguments are printed as the version writes them.
func CheckAll(version schema.GroupVersion, newScheduler New) {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, file := range os.Args[1:] {
		if file == "-check" {
			continue
		}
		if err := out.Encode(check(file, version, newScheduler)); err != nil {
			panic(err)
		}
	}
}

// check does with a file what kube-scheduler does before it listens: its options' ApplyTo, then scheduler.New.
func check(file string, version schema.GroupVersion, newScheduler New) checked {
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
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	s, err := newScheduler(client, informers.NewSharedInformerFactory(client, 0),
		func(string) events.EventRecorder { return nil },
		upstream.WithComponentConfigVersion(c.TypeMeta.APIVersion),
		upstream.WithProfiles(c.Profiles...),
		upstream.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
		upstream.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		upstream.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		upstream.WithExtenders(c.Extenders...),
		upstream.WithParallelism(c.Parallelism))
	if err != nil {
		return refused("new", err)
	}
	result := checked{File: file, Accepted: true}
	for _, p := range c.Profiles { // In the file's order.
		one := resolved(p.SchedulerName, s.Profiles[p.SchedulerName].ListPlugins())
		if one.Arguments, err = arguments(p.PluginConfig, version); err != nil {
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
func arguments(configured []config.PluginConfig, version schema.GroupVersion) (map[string]interface{}, error) {
	found := map[string]interface{}{}
	for _, one := range configured {
		if !scheme.Scheme.Recognizes(config.SchemeGroupVersion.WithKind(one.Name + "Args")) {
			continue
		}
		args, err := scheme.Scheme.ConvertToVersion(one.Args, version)
		if err != nil {
			return nil, err
		}
		found[one.Name] = args
	}
	return found, nil
}
