package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

const (
	group   = "kubescheduler.config.k8s.io/"
	later   = group + "v1"      // Which v1.22 does not serve: it came with v1.25.
	earlier = group + "v1beta1" // The last that has the removed plugins.
)

// readConfig reads as kube-scheduler v1.22 does. A file of v1 is translated before.
func readConfig(path string) (*config.KubeSchedulerConfiguration, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if text, err = translated(text); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	c, err := load(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	return c, nil
}

// load asks upstream's decoder, which fills in the defaults, as its options do.
func load(text []byte) (*config.KubeSchedulerConfiguration, error) {
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	c, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("a %s is no KubeSchedulerConfiguration", kind)
	}
	c.TypeMeta.APIVersion = kind.GroupVersion().String()
	return c, nil
}

// forAnswers makes all nodes be looked at, and asks no extenders: other people's; Winnow, being one, asks none.
func forAnswers(c *config.KubeSchedulerConfiguration) {
	c.PercentageOfNodesToScore = 100
	c.Extenders = nil
}

// object is JSON's.
type object = map[string]interface{}

// points are v1beta1's.
var points = []string{"queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind",
	"bind", "postBind"}

// translated makes a file of v1beta1 of one of v1, which has to disable the default plugins by multiPoint. Any other comes back
// as it is.
func translated(text []byte) ([]byte, error) {
	var c object
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if c["apiVersion"] != later {
		return text, nil
	}
	c["apiVersion"] = earlier
	for i, profile := range list(c["profiles"]) {
		if err := translate(profile.(object)); err != nil {
			return nil, fmt.Errorf("profiles[%d]: %v", i, err)
		}
	}
	return json.Marshal(c)
}

func translate(profile object) error {
	plugins, _ := profile["plugins"].(object)
	everywhere, _ := plugins["multiPoint"].(object)
	if !names(everywhere["disabled"])["*"] {
		return fmt.Errorf("the default plugins are not disabled, and are others in v1.22")
	}
	sets := object{}
	for _, point := range points {
		set, _ := plugins[point].(object)
		sets[point] = object{"enabled": list(set["enabled"]), "disabled": []object{{"name": "*"}}}
	}
	for _, one := range list(sets["score"].(object)["enabled"]) {
		weigh(one.(object))
	}
	for name := range names(everywhere["enabled"]) {
		point, ok := map[string]string{"PrioritySort": "queueSort", "DefaultBinder": "bind"}[name]
		if !ok {
			return fmt.Errorf("multiPoint: %s has to be named where it runs", name)
		}
		sets[point].(object)["enabled"] = []object{{"name": name}}
	}
	profile["plugins"] = sets
	for _, one := range list(profile["pluginConfig"]) {
		if args, _ := one.(object)["args"].(object); args["apiVersion"] == later {
			args["apiVersion"] = earlier
		}
	}
	return nil
}

// weigh gives NodePreferAvoidPods the weight that it had by default, as Winnow does in a file of v1 without one.
func weigh(plugin object) {
	if weight, _ := plugin["weight"].(float64); weight == 0 && plugin["name"] == "NodePreferAvoidPods" {
		plugin["weight"] = 10000
	}
}

func list(value interface{}) []interface{} {
	values, _ := value.([]interface{})
	return values
}

func names(set interface{}) map[string]bool {
	found := map[string]bool{}
	for _, plugin := range list(set) {
		if name, ok := plugin.(object)["name"].(string); ok {
			found[name] = true
		}
	}
	return found
}
