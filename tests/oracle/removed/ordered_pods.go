package main

import (
	"sort"

	"k8s.io/kubernetes/pkg/scheduler/framework"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/cluster"
)

// ServiceAffinity takes the labels of the node of "the first" pod that matches: the first of the first node, in the order in
// which the cache learned of both. Here it is the first by name.

// orderedPods is the snapshot, which lists all pods as those of one node, by namespace and name. Its nodes themselves are
// asked for by name only.
type orderedPods struct {
	framework.SharedLister
	nodes *orderedNodes
}

func (o orderedPods) NodeInfos() framework.NodeInfoLister { return o.nodes }

type orderedNodes struct {
	framework.NodeInfoLister
	all *framework.NodeInfo // Made at the first call: the snapshot stands still.
}

func (o *orderedNodes) List() ([]*framework.NodeInfo, error) {
	if o.all != nil {
		return []*framework.NodeInfo{o.all}, nil
	}
	infos, err := o.NodeInfoLister.List()
	o.all = framework.NewNodeInfo()
	for _, info := range infos {
		o.all.Pods = append(o.all.Pods, info.Pods...)
	}
	sort.Slice(o.all.Pods, func(i, j int) bool { return cluster.Before(o.all.Pods[i].Pod, o.all.Pods[j].Pod) })
	return []*framework.NodeInfo{o.all}, err
}

// orderPods gives such a list to the plugin that takes the first pod.
func (p *profile) orderPods() {
	for _, plugin := range p.preFilters {
		if plugin.Name() == "ServiceAffinity" {
			lister := answer.Private(plugin, "sharedLister").(*framework.SharedLister)
			*lister = orderedPods{*lister, &orderedNodes{NodeInfoLister: (*lister).NodeInfos()}}
		}
	}
}
