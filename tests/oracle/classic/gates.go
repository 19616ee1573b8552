package main

import (
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/algorithmprovider"
)

// applyGates sets the gates and registers what hangs on them, as the scheduler does at its start. undo takes back
// both, and whatever a Policy has registered since.
func applyGates(gates map[string]bool) (undo func(), err error) {
	before := map[string]bool{}
	for name := range gates {
		if name == "AllAlpha" { // Sets others, which nothing tells us to take back.
			return nil, fmt.Errorf("gates.json: AllAlpha: name the gates instead")
		}
		before[name] = utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		return nil, fmt.Errorf("gates.json: %v", err)
	}
	restore := algorithmprovider.ApplyFeatureGates()
	return func() {
		restore()
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(before); err != nil {
			panic(err)
		}
	}, nil
}

// csiNodesKnown: scheduler/eventhandlers.go.
func csiNodesKnown() bool { return utilfeature.DefaultFeatureGate.Enabled(features.CSINodeInfo) }
