package main

import (
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"winnow.test/oracle/common/loaded"
)

// loader is this release's.
var loader = loaded.Loader{
	Load: func(file string) (*config.KubeSchedulerConfiguration, error) {
		return options.LoadConfigFromFile(klog.Background(), file)
	},
	New: func(c *config.KubeSchedulerConfiguration) (*upstream.Scheduler, func(), error) {
		s, err := newUpstream(c, newInformers(nil, false))
		if err != nil {
			return nil, nil, err
		}
		return s.upstream, s.close, nil
	},
}
