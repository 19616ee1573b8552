package main

import (
	"encoding/json"
	"fmt"
	"io/ioutil"
	"sort"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
)

// objects is what a file holds, in the file's order.
type objects struct {
	nodes    []*v1.Node
	pods     []*v1.Pod
	services []*v1.Service
	rcs      []*v1.ReplicationController
	rss      []*apps.ReplicaSet
	sss      []*apps.StatefulSet
	pvcs     []*v1.PersistentVolumeClaim
}

func readObjects(path string) (*objects, error) {
	text, err := ioutil.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	o := &objects{}
	for i, item := range list.Items {
		var meta struct{ Kind string }
		if err := json.Unmarshal(item, &meta); err != nil {
			return nil, err
		}
		var into interface{}
		switch meta.Kind {
		case "Node":
			o.nodes = append(o.nodes, &v1.Node{})
			into = o.nodes[len(o.nodes)-1]
		case "Pod":
			o.pods = append(o.pods, &v1.Pod{})
			into = o.pods[len(o.pods)-1]
		case "Service":
			o.services = append(o.services, &v1.Service{})
			into = o.services[len(o.services)-1]
		case "ReplicationController":
			o.rcs = append(o.rcs, &v1.ReplicationController{})
			into = o.rcs[len(o.rcs)-1]
		case "ReplicaSet":
			o.rss = append(o.rss, &apps.ReplicaSet{})
			into = o.rss[len(o.rss)-1]
		case "StatefulSet":
			o.sss = append(o.sss, &apps.StatefulSet{})
			into = o.sss[len(o.sss)-1]
		case "PersistentVolumeClaim":
			o.pvcs = append(o.pvcs, &v1.PersistentVolumeClaim{})
			into = o.pvcs[len(o.pvcs)-1]
		default:
			return nil, fmt.Errorf("items[%d]: kind %q", i, meta.Kind)
		}
		if err := json.Unmarshal(item, into); err != nil {
			return nil, fmt.Errorf("items[%d]: %v", i, err)
		}
	}
	return o, nil
}

// cluster is what the scheduler knows.
type cluster struct {
	nodeNames []string // Sorted.
	infos     map[string]*schedulernodeinfo.NodeInfo
	pending   []*v1.Pod

	services corelisters.ServiceLister
	rcs      corelisters.ReplicationControllerLister
	rss      appslisters.ReplicaSetLister
	sss      appslisters.StatefulSetLister
	pvcs     corelisters.PersistentVolumeClaimLister
}

func indexer() cache.Indexer {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

func newCluster(o *objects) *cluster {
	c := &cluster{}
	known := map[string]bool{}
	for _, node := range o.nodes {
		known[node.Name] = true
		c.nodeNames = append(c.nodeNames, node.Name)
	}
	sort.Strings(c.nodeNames)
	// The pod informer has the field selector status.phase!=Succeeded,status.phase!=Failed; the cache's snapshot has
	// no nodes without a Node object.
	var assigned []*v1.Pod
	for _, pod := range o.pods {
		if pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
			continue
		}
		if pod.Spec.NodeName == "" {
			c.pending = append(c.pending, pod)
		} else if known[pod.Spec.NodeName] {
			assigned = append(assigned, pod)
		}
	}
	sort.Slice(c.pending, func(i, j int) bool {
		a, b := c.pending[i], c.pending[j]
		return a.Namespace < b.Namespace || a.Namespace == b.Namespace && a.Name < b.Name
	})
	c.infos = schedulernodeinfo.CreateNodeNameToInfoMap(assigned, withFirstSizes(o.nodes))

	services, rcs, rss, sss, pvcs := indexer(), indexer(), indexer(), indexer(), indexer()
	for _, object := range o.services {
		services.Add(object)
	}
	for _, object := range o.rcs {
		rcs.Add(object)
	}
	for _, object := range o.rss {
		rss.Add(object)
	}
	for _, object := range o.sss {
		sss.Add(object)
	}
	for _, object := range o.pvcs {
		pvcs.Add(object)
	}
	c.services = corelisters.NewServiceLister(services)
	c.rcs = corelisters.NewReplicationControllerLister(rcs)
	c.rss = appslisters.NewReplicaSetLister(rss)
	c.sss = appslisters.NewStatefulSetLister(sss)
	c.pvcs = corelisters.NewPersistentVolumeClaimLister(pvcs)
	return c
}

// withFirstSizes gives each image name the size that its first reporter gave it, as the scheduler's cache does
// (internal/cache/cache.go addNodeImageStates) and CreateNodeNameToInfoMap does not.
func withFirstSizes(nodes []*v1.Node) []*v1.Node {
	sizes := map[string]int64{}
	for _, node := range nodes {
		var images []v1.ContainerImage
		for _, image := range node.Status.Images {
			for _, name := range image.Names {
				if _, ok := sizes[name]; !ok {
					sizes[name] = image.SizeBytes
				}
				images = append(images, v1.ContainerImage{Names: []string{name}, SizeBytes: sizes[name]})
			}
		}
		node.Status.Images = images
	}
	return nodes
}
