package main

import (
	"fmt"
	"io/ioutil"
	"os"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/api/latest"
	"k8s.io/kubernetes/pkg/scheduler/factory"
)

// readPolicy reads as the scheduler does; where the file is missing, the default provider.
func readPolicy(path string) (*schedulerapi.Policy, error) {
	policy := &schedulerapi.Policy{}
	text, err := ioutil.ReadFile(path)
	if os.IsNotExist(err) {
		return policy, nil
	}
	if err != nil {
		return nil, err
	}
	kind := schema.GroupVersionKind{Version: latest.Version, Kind: "Policy"}
	if _, _, err := latest.Codec.Decode(text, &kind, policy); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	policy.ExtenderConfigs = nil // Other people's; Winnow, being one, asks none.
	return policy, nil
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
