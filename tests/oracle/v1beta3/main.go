// Says of KubeSchedulerConfiguration files what kube-scheduler v1.28.15 says of them, the last release that served v1beta3.
// Usage: v1beta3 -check FILE…
package main

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/kube-scheduler/config/v1beta3"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"winnow.test/oracle/common/loaded"
)

func main() {
	loaded.CheckAll(v1beta3.SchemeGroupVersion, func(client kubernetes.Interface, shared informers.SharedInformerFactory,
		record func(string) events.EventRecorder, options ...upstream.Option) (*upstream.Scheduler, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return upstream.New(ctx, client, shared, nil, record, options...)
	})
}
