package main

import (
	"fmt"
	"os"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// readConfig reads as kube-scheduler does; where the file is missing, upstream's default.
func readConfig(path string) (*config.KubeSchedulerConfiguration, error) {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return latest.Default()
	}
	c, err := options.LoadConfigFromFile(klog.Background(), path)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	return c, nil
}

// forAnswers makes all nodes be looked at, and asks no extenders: other people's; Winnow, being one, asks none.
func forAnswers(c *config.KubeSchedulerConfiguration) {
	all := int32(100)
	c.PercentageOfNodesToScore = &all
	for i := range c.Profiles {
		c.Profiles[i].PercentageOfNodesToScore = nil
	}
	c.Extenders = nil
}
