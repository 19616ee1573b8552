package main

import (
	"fmt"
	"strings"
)

// way is how kube-scheduler works with Winnow: a configuration of manifests/, and Winnow's flags. Without flags there is no
// Winnow. Without a configuration kube-scheduler has upstream's, and no extender.
type way struct {
	name          string
	configuration string
	flags         []string
	policy        string // A manifest that gives pods a gate.
}

const (
	inTree = "in-tree"
	gate   = "winnow.dev/nominate"
)

var ways = []way{
	{inTree, "", nil, ""},
	{"best", "kube-scheduler-best.yaml", []string{"--answer=best", "--scheduler-filters=NodeResourcesFit,NodePorts"}, ""},
	{"best-no-filters", "kube-scheduler-best-no-filters.yaml", []string{"--answer=best", "--failed-nodes=judged"}, ""},
	{"everything", "kube-scheduler-everything.yaml", []string{"--answer=one", "--scheduler-filters=NodeResourcesFit,NodePorts"}, ""},
	{"scores", "kube-scheduler-scores.yaml", []string{"--answer=one", "--scheduler-filters=NodeResourcesFit,NodePorts"}, ""},
	{"nominate", "", []string{"--nominate"}, ""},
	{"nominate-gate", "", []string{"--nominate", "--nominate-gate=" + gate}, "nominator-gate.yaml"},
}

// waysOf gives those of the names, with commas between, and in-tree first: the ratios are to it.
func waysOf(names string) ([]way, error) {
	chosen := []way{ways[0]}
	for _, name := range strings.Split(names, ",") {
		found := false
		for i, w := range ways {
			if w.name == name {
				found = true
				if i > 0 {
					chosen = append(chosen, w)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("no way is called %q", name)
		}
	}
	return chosen, nil
}

// atPort is the configuration with the extender at another port of the same host.
func atPort(configuration string, port int) (string, error) {
	const shipped = "urlPrefix: http://127.0.0.1:10290"
	if strings.Count(configuration, shipped) != 1 {
		return "", fmt.Errorf("the configuration does not have once %q", shipped)
	}
	return strings.Replace(configuration, shipped, fmt.Sprintf("urlPrefix: http://127.0.0.1:%d", port), 1), nil
}
