package main

import (
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/factory"
)

// registerServiceAffinity does for each serviceAffinity of the policy what factory/plugins.go does when it is named, but
// that the pods come in order, and takes the argument away, so that the registered one is used. All of them have one
// producer of metadata, since it does not look at the labels: upstream never forgets a producer.
func registerServiceAffinity(policy *schedulerapi.Policy) {
	const producer = predicates.CheckServiceAffinityPred
	_, none := predicates.NewServiceAffinityPredicate(noPods{}, noServices{}, nil, nil)
	predicates.RegisterPredicateMetadataProducer(producer, none)
	for i, p := range policy.Predicates {
		if p.Argument == nil || p.Argument.ServiceAffinity == nil {
			continue
		}
		wanted := p.Argument.ServiceAffinity.Labels
		factory.RegisterFitPredicateFactory(p.Name, func(args factory.PluginFactoryArgs) predicates.FitPredicate {
			fits, produce := predicates.NewServiceAffinityPredicate(orderedPods{args.PodLister}, args.ServiceLister, args.NodeInfo, wanted)
			predicates.RegisterPredicateMetadataProducer(producer, produce)
			return fits
		})
		policy.Predicates[i].Argument = nil
	}
}

// orderedPods lists the scheduler's cache by namespace and name; it lists itself node by node as a Go map happens to.
type orderedPods struct{ algorithm.PodLister }

func (o orderedPods) List(selector labels.Selector) ([]*v1.Pod, error) {
	pods, err := o.PodLister.List(selector)
	sort.Slice(pods, func(i, j int) bool { return before(pods[i], pods[j]) })
	return pods, err
}

func before(a, b *v1.Pod) bool {
	return a.Namespace < b.Namespace || a.Namespace == b.Namespace && a.Name < b.Name
}

type noPods struct{ algorithm.PodLister }

func (noPods) List(labels.Selector) ([]*v1.Pod, error) { return nil, nil }

type noServices struct{ algorithm.ServiceLister }

func (noServices) GetPodServices(*v1.Pod) ([]*v1.Service, error) { return nil, nil }
