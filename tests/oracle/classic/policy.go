package main

import (
	"fmt"
	"io/ioutil"
	"os"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/api/latest"
	"k8s.io/kubernetes/pkg/scheduler/api/validation"
	"k8s.io/kubernetes/pkg/scheduler/factory"
)

// readPolicy reads as the scheduler does; where the file is missing, the default provider.
func readPolicy(path string) (*schedulerapi.Policy, error) {
	policy := &schedulerapi.Policy{}
	text, err := ioutil.ReadFile(path)
	if os.IsNotExist(err) {
		ignoreResources(nil)
		return policy, nil
	}
	if err != nil {
		return nil, err
	}
	kind := schema.GroupVersionKind{Version: latest.Version, Kind: "Policy"}
	if _, _, err := latest.Codec.Decode(text, &kind, policy); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	if err := validation.ValidatePolicy(*policy); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	ignoreResources(policy.ExtenderConfigs)
	policy.ExtenderConfigs = nil // Other people's; Winnow, being one, asks none.
	return policy, nil
}

// ignoreResources does what factory.go CreateFromConfig does with extenders' resources. The registration is global, so it
// is made anew for each policy.
func ignoreResources(extenders []schedulerapi.ExtenderConfig) {
	ignored := sets.NewString()
	for _, extender := range extenders {
		for _, resource := range extender.ManagedResources {
			if resource.IgnoredByScheduler {
				ignored.Insert(string(resource.Name))
			}
		}
	}
	predicates.RegisterPredicateMetadataProducerWithExtendedResourceOptions(ignored)
}

// factory/plugins.go validName.
var validName = regexp.MustCompile("^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])$")

// checkPolicy finds what upstream ends its process at.
func checkPolicy(policy *schedulerapi.Policy) error {
	made := map[string]bool{}
	for _, p := range policy.Predicates {
		switch argument := p.Argument; {
		case argument == nil && !made[p.Name] && !factory.IsFitPredicateRegistered(p.Name):
			return fmt.Errorf("predicate %q: upstream knows none", p.Name)
		case argument != nil && (argument.ServiceAffinity != nil) == (argument.LabelsPresence != nil):
			return fmt.Errorf("predicate %q: upstream wants exactly one argument", p.Name)
		case argument != nil && !validName.MatchString(p.Name):
			return fmt.Errorf("predicate %q: upstream takes no such name", p.Name)
		}
		made[p.Name] = true
	}
	made = map[string]bool{}
	for _, p := range policy.Priorities {
		if p.Argument == nil && !made[p.Name] && !factory.IsPriorityFunctionRegistered(p.Name) {
			return fmt.Errorf("priority %q: upstream knows none", p.Name)
		}
		if err := checkPriority(p); err != nil {
			return fmt.Errorf("priority %q: %v", p.Name, err)
		}
		made[p.Name] = true
	}
	return nil
}

func checkPriority(p schedulerapi.PriorityPolicy) error {
	if !validName.MatchString(p.Name) {
		return fmt.Errorf("upstream takes no such name")
	}
	if p.Argument == nil {
		return nil
	}
	n := 0
	for _, given := range []bool{p.Argument.ServiceAntiAffinity != nil, p.Argument.LabelPreference != nil, p.Argument.RequestedToCapacityRatioArguments != nil} {
		if given {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("upstream wants exactly one argument")
	}
	if ratio := p.Argument.RequestedToCapacityRatioArguments; ratio != nil {
		var points []priorities.FunctionShapePoint
		for _, point := range ratio.UtilizationShape {
			points = append(points, priorities.FunctionShapePoint{Utilization: int64(point.Utilization), Score: int64(point.Score)})
		}
		_, err := priorities.NewFunctionShape(points)
		return err
	}
	return nil
}
