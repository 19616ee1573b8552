package main

import (
	"context"
	"os/signal"
	"reflect"
	"sort"
	"syscall"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
	"winnow.test/oracle/common/loaded"
)

// rules are the plugins that later releases removed. The others run only in upstream's own Schedule.
var rules = map[string]bool{
	"ServiceAffinity": true, "NodeLabel": true, "EBSLimits": true, "GCEPDLimits": true, "AzureDiskLimits": true,
	"CinderLimits": true, "SelectorSpread": true, "NodePreferAvoidPods": true, "NodeResourcesLeastAllocated": true,
	"NodeResourcesMostAllocated": true, "RequestedToCapacityRatio": true,
}

// profile is one of the configuration's, as upstream has resolved it: its plugins in the order in which they run.
type profile struct {
	framework  framework.Framework
	preFilters []framework.PreFilterPlugin
	filters    []framework.FilterPlugin
	preScores  []framework.PreScorePlugin
	scores     []framework.ScorePlugin
	weights    map[string]int
}

// scheduler is upstream's, made by upstream for one configuration and one cluster, and the parts of it that answer.
type scheduler struct {
	upstream *upstream.Scheduler
	ctx      context.Context
	profiles map[string]*profile // By schedulerName.
	lister   framework.NodeInfoLister

	all   []*framework.NodeInfo // In the snapshot's order.
	names []string              // Of the nodes, sorted.
	close func()
}

// client asks nobody, as nothing is ever started that would.
var client = kubernetes.NewForConfigOrDie(&rest.Config{})

// newUpstream lets upstream do the wiring. What the informers hold goes into the scheduler's cache by its own handlers.
func newUpstream(c *config.KubeSchedulerConfiguration, known informers.SharedInformerFactory) (s *scheduler, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	s = &scheduler{ctx: ctx}
	s.close = func() {
		cancel()
		signal.Reset(syscall.SIGUSR2) // The cache's debugger listens to it for ever.
	}
	noRecorder := func(string) events.EventRecorder { return nil }
	s.upstream, err = upstream.New(client, known, noRecorder, ctx.Done(), loaded.Options(c)...)
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// newScheduler takes upstream's apart.
func newScheduler(c *config.KubeSchedulerConfiguration, known informers.SharedInformerFactory) (*scheduler, error) {
	s, err := newUpstream(c, known)
	if err != nil {
		return nil, err
	}
	s.profiles = map[string]*profile{}
	for name, f := range s.upstream.Profiles {
		s.profiles[name] = newProfile(f)
		s.profiles[name].orderPods()
	}
	return s, s.takeSnapshot()
}

// takeSnapshot is what each of upstream's cycles begins with. All profiles share the snapshot, whose type is upstream's own.
func (s *scheduler) takeSnapshot() error {
	for _, p := range s.profiles {
		snapshot := p.framework.SnapshotSharedLister()
		update := reflect.ValueOf(s.upstream.SchedulerCache).MethodByName("UpdateSnapshot")
		if err, failed := update.Call([]reflect.Value{reflect.ValueOf(snapshot)})[0].Interface().(error); failed {
			return err
		}
		s.lister = snapshot.NodeInfos()
	}
	var err error
	if s.all, err = s.lister.List(); err != nil {
		return err
	}
	for _, info := range s.all {
		s.names = append(s.names, info.Node().Name)
	}
	sort.Strings(s.names)
	return nil
}

func (s *scheduler) info(name string) *framework.NodeInfo {
	info, err := s.lister.Get(name)
	if err != nil {
		panic(err)
	}
	return info
}

// profileOf returns nil where no profile has the pod's schedulerName.
func (s *scheduler) profileOf(pod *v1.Pod) *profile { return s.profiles[cluster.SchedulerName(pod)] }

func newProfile(f framework.Framework) *profile {
	return &profile{
		framework:  f,
		preFilters: *answer.Private(f, "preFilterPlugins").(*[]framework.PreFilterPlugin),
		filters:    *answer.Private(f, "filterPlugins").(*[]framework.FilterPlugin),
		preScores:  *answer.Private(f, "preScorePlugins").(*[]framework.PreScorePlugin),
		scores:     *answer.Private(f, "scorePlugins").(*[]framework.ScorePlugin),
		weights:    *answer.Private(f, "scorePluginWeight").(*map[string]int),
	}
}
