package loaded

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"winnow.test/oracle/common/answer"
)

// profile has the plugins in the order in which upstream runs them.
func profile(name string, plugins *config.Plugins) *answer.CheckedProfile {
	p := &answer.CheckedProfile{Name: name, PreFilter: namesOf(plugins.PreFilter), Filter: namesOf(plugins.Filter),
		PreScore: namesOf(plugins.PreScore), Score: []answer.Weighted{}}
	for _, plugin := range plugins.Score.Enabled {
		p.Score = append(p.Score, answer.Weighted{Name: plugin.Name, Weight: plugin.Weight})
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

// arguments are those of the plugins that upstream knows, as the version writes them; others' it keeps unread.
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
