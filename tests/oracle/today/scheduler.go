package main

import (
	"context"
	"os/signal"
	"sort"
	"syscall"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
	"winnow.test/oracle/common/loaded"
)

// rules are the plugins that Winnow has too. The others run only in upstream's own SchedulePod.
var rules = map[string]bool{
	"NodeName": true, "NodeUnschedulable": true, "TaintToleration": true, "NodeAffinity": true, "NodePorts": true,
	"NodeResourcesFit": true, "NodeResourcesBalancedAllocation": true, "VolumeRestrictions": true, "NodeVolumeLimits": true,
	"VolumeBinding": true, "VolumeZone": true, "PodTopologySpread": true, "InterPodAffinity": true, "ImageLocality": true,
	"NodeDeclaredFeatures": true, "DynamicResources": true,
}

// profile is one of the configuration's, as upstream has resolved it: its plugins in the order in which they run.
type profile struct {
	framework  framework.Framework
	plugins    map[string]fwk.Plugin
	preFilters []fwk.PreFilterPlugin
	filters    []fwk.FilterPlugin
	preScores  []fwk.PreScorePlugin
	scores     []fwk.ScorePlugin
	reserves   []fwk.ReservePlugin
	weights    map[string]int
}

// scheduler is upstream's, made by upstream for one configuration and one cluster, and the parts of it that answer.
type scheduler struct {
	upstream *upstream.Scheduler
	ctx      context.Context
	profiles map[string]*profile // By schedulerName.
	snapshot *internalcache.Snapshot
	known    informers.SharedInformerFactory

	all   []fwk.NodeInfo // In the snapshot's order.
	names []string       // Of the nodes, sorted.
	close func()
}

// client asks nobody, as nothing is ever started that would.
var client = kubernetes.NewForConfigOrDie(&rest.Config{})

// newUpstream lets upstream do the wiring. What the informers hold goes into the scheduler's cache by its own handlers.
func newUpstream(c *config.KubeSchedulerConfiguration, known informers.SharedInformerFactory) (s *scheduler, err error) {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	s = &scheduler{ctx: ctx, known: known, snapshot: internalcache.NewEmptySnapshot()}
	s.close = func() {
		cancel()
		signal.Reset(syscall.SIGUSR2) // The cache's debugger listens to it for ever.
	}
	noRecorder := func(string) events.EventRecorderLogger { return nil }
	s.upstream, err = upstream.New(ctx, client, known, nil, noRecorder, append(loaded.Options(c), upstream.WithNodeInfoSnapshot(s.snapshot))...)
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
	}
	return s, nil
}

// takeSnapshot is what each of upstream's cycles begins with.
func (s *scheduler) takeSnapshot() (err error) {
	if err := s.upstream.Cache.UpdateSnapshot(klog.FromContext(s.ctx), s.snapshot); err != nil {
		return err
	}
	if s.all, err = s.snapshot.NodeInfos().List(); err != nil {
		return err
	}
	s.names = nil
	for _, info := range s.all {
		s.names = append(s.names, info.Node().Name)
	}
	sort.Strings(s.names)
	return nil
}

func (s *scheduler) info(name string) fwk.NodeInfo {
	info, err := s.snapshot.Get(name)
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
		plugins:    *answer.Private(f, "pluginsMap").(*map[string]fwk.Plugin),
		preFilters: *answer.Private(f, "preFilterPlugins").(*[]fwk.PreFilterPlugin),
		filters:    *answer.Private(f, "filterPlugins").(*[]fwk.FilterPlugin),
		preScores:  *answer.Private(f, "preScorePlugins").(*[]fwk.PreScorePlugin),
		scores:     *answer.Private(f, "scorePlugins").(*[]fwk.ScorePlugin),
		reserves:   *answer.Private(f, "reservePlugins").(*[]fwk.ReservePlugin),
		weights:    *answer.Private(f, "scorePluginWeight").(*map[string]int),
	}
}
