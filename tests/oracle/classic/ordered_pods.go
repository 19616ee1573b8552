package main

import (
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/factory"
	"winnow.test/oracle/common/cluster"
)

// orderedPods lists the scheduler's cache by namespace and name; it lists itself node by node as a Go map happens to.
type orderedPods struct{ algorithm.PodLister }

func (o orderedPods) List(selector labels.Selector) ([]*v1.Pod, error) {
	pods, err := o.PodLister.List(selector)
	sort.Slice(pods, func(i, j int) bool { return cluster.Before(pods[i], pods[j]) })
	return pods, err
}

func (o orderedPods) FilteredList(filter algorithm.PodFilter, selector labels.Selector) ([]*v1.Pod, error) {
	pods, err := o.PodLister.FilteredList(filter, selector)
	sort.Slice(pods, func(i, j int) bool { return cluster.Before(pods[i], pods[j]) })
	return pods, err
}

// registerOrdered registers anew, with such a list, the predicates that take the first pod of one: as upstream does in
// algorithmprovider/defaults/register_predicates.go, and in factory/plugins.go when a Policy names a serviceAffinity.
// The argument of the latter goes, so that what is registered is used.
func registerOrdered(policy *schedulerapi.Policy) {
	factory.RegisterFitPredicateFactory(predicates.MatchInterPodAffinityPred, func(args factory.PluginFactoryArgs) predicates.FitPredicate {
		return predicates.NewPodAffinityPredicate(args.NodeInfo, orderedPods{args.PodLister})
	})
	forgetServiceAffinity()
	for i, p := range policy.Predicates {
		if p.Argument == nil || p.Argument.ServiceAffinity == nil {
			continue
		}
		wanted := p.Argument.ServiceAffinity.Labels
		factory.RegisterFitPredicateFactory(p.Name, func(args factory.PluginFactoryArgs) predicates.FitPredicate {
			fits, produce := predicates.NewServiceAffinityPredicate(orderedPods{args.PodLister}, args.ServiceLister, args.NodeInfo, wanted)
			predicates.RegisterPredicateMetadataProducer(serviceAffinityProducer, produce)
			return fits
		})
		policy.Predicates[i].Argument = nil
	}
}

// Whatever the labels, all of a policy produce the same metadata, so one will do.
const serviceAffinityProducer = predicates.CheckServiceAffinityPred

// forgetServiceAffinity: upstream never forgets a producer, nor the cluster that it reads.
func forgetServiceAffinity() {
	_, none := predicates.NewServiceAffinityPredicate(noPods{}, noServices{}, nil, nil)
	predicates.RegisterPredicateMetadataProducer(serviceAffinityProducer, none)
}

type noPods struct{ algorithm.PodLister }

func (noPods) List(labels.Selector) ([]*v1.Pod, error) { return nil, nil }

type noServices struct{ algorithm.ServiceLister }

func (noServices) GetPodServices(*v1.Pod) ([]*v1.Service, error) { return nil, nil }
