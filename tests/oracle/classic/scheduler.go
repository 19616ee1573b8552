package main

import (
	"os/signal"
	"sort"
	"syscall"

	v1 "k8s.io/api/core/v1"
	storagebeta "k8s.io/api/storage/v1beta1"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	"k8s.io/kubernetes/pkg/scheduler/factory"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// predicate is one of the policy's, with the argument that it was made by.
type predicate struct {
	name     string
	fits     predicates.FitPredicate
	argument *schedulerapi.PredicateArgument
}

// scheduler is upstream's, made by upstream for one policy and one cluster, and the parts of it that answer.
type scheduler struct {
	algorithm     core.ScheduleAlgorithm
	framework     framework.Framework
	predicates    []predicate // In upstream's order.
	priorities    []priorities.PriorityConfig
	arguments     map[string]*schedulerapi.PriorityArgument // By priority.
	alwaysAll     bool
	predicateMeta predicates.PredicateMetadataProducer
	priorityMeta  priorities.PriorityMetadataProducer

	names    []string // Of the nodes, sorted.
	infos    map[string]*schedulernodeinfo.NodeInfo
	snapshot *schedulernodeinfo.Snapshot
	config   *factory.Config
	pods     algorithm.PodLister // The cache's.
	pvcs     corelisters.PersistentVolumeClaimLister
	known    informers.SharedInformerFactory
	close    func()

	nominated func(node string) []*v1.Pod // By upstream's queue.
}

// newScheduler takes the policy apart. The gates must have been applied.
func newScheduler(policy *schedulerapi.Policy, o cluster.Objects) (*scheduler, error) {
	registerExtras(policy)
	if err := checkPolicy(policy); err != nil {
		return nil, err
	}
	s := &scheduler{known: newInformers(o), alwaysAll: policy.AlwaysCheckAllPredicates}
	arguments := map[string]*schedulerapi.PredicateArgument{}
	for _, p := range policy.Predicates {
		if p.Argument != nil {
			arguments[p.Name] = p.Argument
		}
	}
	s.arguments = map[string]*schedulerapi.PriorityArgument{}
	for _, p := range policy.Priorities {
		if p.Argument != nil {
			s.arguments[p.Name] = p.Argument
		}
	}
	restoreOrder := predicates.SetPredicatesOrderingDuringTest(order(policy))
	registerOrdered(policy)
	stop := make(chan struct{})
	s.close = func() {
		close(stop)
		restoreOrder()
		signal.Reset(syscall.SIGUSR2) // The cache's debugger listens to it for ever.
	}
	config, err := configurator(s.known, stop).CreateFromConfig(*policy)
	if err != nil {
		s.close()
		return nil, err
	}
	s.nominated = config.SchedulingQueue.NominatedPodsForNode
	if err := s.fill(config, o); err != nil {
		s.close()
		return nil, err
	}
	s.algorithm, s.framework, s.pods = config.Algorithm, config.Framework, config.SchedulerCache
	s.pvcs = s.known.Core().V1().PersistentVolumeClaims().Lister()
	s.priorities = config.Algorithm.Prioritizers()
	for _, name := range predicates.Ordering() {
		if fits, ok := config.Algorithm.Predicates()[name]; ok {
			s.predicates = append(s.predicates, predicate{name, fits, arguments[name]})
		}
	}
	s.predicateMeta = *answer.Private(config.Algorithm, "predicateMetaProducer").(*predicates.PredicateMetadataProducer)
	s.priorityMeta = *answer.Private(config.Algorithm, "priorityMetaProducer").(*priorities.PriorityMetadataProducer)
	return s, nil
}

func (s *scheduler) services() corelisters.ServiceLister {
	return s.known.Core().V1().Services().Lister()
}

func configurator(known informers.SharedInformerFactory, stop <-chan struct{}) *factory.Configurator {
	v1 := known.Core().V1()
	return factory.NewConfigFactory(&factory.ConfigFactoryArgs{
		NodeInformer:                   v1.Nodes(),
		PodInformer:                    v1.Pods(),
		PvInformer:                     v1.PersistentVolumes(),
		PvcInformer:                    v1.PersistentVolumeClaims(),
		ReplicationControllerInformer:  v1.ReplicationControllers(),
		ReplicaSetInformer:             known.Apps().V1().ReplicaSets(),
		StatefulSetInformer:            known.Apps().V1().StatefulSets(),
		ServiceInformer:                v1.Services(),
		PdbInformer:                    known.Policy().V1beta1().PodDisruptionBudgets(),
		StorageClassInformer:           known.Storage().V1().StorageClasses(),
		CSINodeInformer:                known.Storage().V1beta1().CSINodes(),
		HardPodAffinitySymmetricWeight: 1,
		PercentageOfNodesToScore:       100,
		StopCh:                         stop,
	})
}

// fill puts into the scheduler's cache what its event handlers would.
func (s *scheduler) fill(config *factory.Config, o cluster.Objects) error {
	for _, node := range o["Node"] {
		if err := config.SchedulerCache.AddNode(node.(*v1.Node)); err != nil {
			return err
		}
	}
	// On how many nodes an image is, a node knows from its last update.
	for _, node := range o["Node"] {
		if err := config.SchedulerCache.UpdateNode(node.(*v1.Node), node.(*v1.Node)); err != nil {
			return err
		}
	}
	var assigned, nominated []*v1.Pod
	for _, object := range o["Pod"] {
		if pod := object.(*v1.Pod); pod.Spec.NodeName == "" {
			nominated = append(nominated, pod)
		} else {
			assigned = append(assigned, pod)
		}
	}
	if podsInOrder {
		sort.SliceStable(assigned, func(i, j int) bool { return cluster.Before(assigned[i], assigned[j]) })
	}
	for _, pod := range assigned {
		if err := config.SchedulerCache.AddPod(pod); err != nil {
			return err
		}
	}
	for _, pod := range nominated {
		if err := config.SchedulingQueue.Add(pod); err != nil {
			return err
		}
	}
	if csiNodesKnown() {
		for _, node := range o["CSINode"] {
			if err := config.SchedulerCache.AddCSINode(node.(*storagebeta.CSINode)); err != nil {
				return err
			}
		}
	}
	s.config, s.snapshot = config, schedulernodeinfo.NewSnapshot()
	if err := s.takeSnapshot(); err != nil {
		return err
	}
	s.infos = s.snapshot.NodeInfoMap
	for name := range s.infos {
		s.names = append(s.names, name)
	}
	sort.Strings(s.names)
	return nil
}

// takeSnapshot makes the infos be those of the cache as it is.
func (s *scheduler) takeSnapshot() error {
	return s.config.SchedulerCache.UpdateNodeInfoSnapshot(s.snapshot)
}
