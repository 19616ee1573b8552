package main

import (
	"k8s.io/kube-scheduler/config/v1beta1"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"winnow.test/oracle/common/loaded"
)

// loader is this release's. Arguments are as v1beta1 writes them.
var loader = loaded.Loader{
	Load: loaded.Load,
	New: func(c *config.KubeSchedulerConfiguration) (*upstream.Scheduler, func(), error) {
		s, err := newUpstream(c, newInformers(nil))
		if err != nil {
			return nil, nil, err
		}
		return s.upstream, s.close, nil
	},
	As: v1beta1.SchemeGroupVersion,
}
