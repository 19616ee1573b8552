// Says of KubeSchedulerConfiguration files what kube-scheduler v1.27.16 says of them, the last release that served v1beta2.
// Usage: v1beta2 -check FILE…
package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/kube-scheduler/config/v1beta2"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"winnow.test/oracle/common/loaded"
)

func main() {
	loaded.CheckAll(v1beta2.SchemeGroupVersion, func(client kubernetes.Interface, shared informers.SharedInformerFactory,
		record func(string) events.EventRecorder, options ...upstream.Option) (*upstream.Scheduler, error) {
		stop := make(chan struct{})
		defer close(stop)
		return upstream.New(client, shared, nil, record, stop, options...)
	})
}
