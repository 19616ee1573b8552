package main

import (
	"reflect"
	"sort"
	"unsafe"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// ServiceAffinity takes the labels of the node of "the first" pod that matches: the first of the first node, in the order in
// which the cache learned of both. Here it is the first by name.

// orderedPods is the snapshot, which lists all pods as those of one node, by namespace and name. Its nodes themselves are
// asked for by name only.
type orderedPods struct{ framework.SharedLister }

func (o orderedPods) NodeInfos() framework.NodeInfoLister {
	return orderedNodes{o.SharedLister.NodeInfos()}
}

type orderedNodes struct{ framework.NodeInfoLister }

func (o orderedNodes) List() ([]*framework.NodeInfo, error) {
	infos, err := o.NodeInfoLister.List()
	all := framework.NewNodeInfo()
	for _, info := range infos {
		all.Pods = append(all.Pods, info.Pods...)
	}
	sort.Slice(all.Pods, func(i, j int) bool { return before(all.Pods[i].Pod, all.Pods[j].Pod) })
	return []*framework.NodeInfo{all}, err
}

// orderPods gives such a list to the plugin that takes the first pod.
func (p *profile) orderPods() {
	for _, plugin := range p.preFilters {
		if plugin.Name() == "ServiceAffinity" {
			lister := private(plugin, "sharedLister").(*framework.SharedLister)
			*lister = orderedPods{*lister}
		}
	}
}

// private returns a pointer to a field of one of upstream's structs that nothing hands out.
func private(of interface{}, name string) interface{} {
	field := reflect.ValueOf(of).Elem().FieldByName(name)
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Interface()
}
