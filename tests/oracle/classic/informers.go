package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"winnow.test/oracle/common/cluster"
)

// informer hands what it knows to a handler at once.
type informer struct{ cluster.Informer }

func (f *informer) AddEventHandler(handler cache.ResourceEventHandler) {
	f.Handlers = append(f.Handlers, handler)
	for _, object := range f.Indexer.List() {
		handler.OnAdd(object)
	}
}

// newInformers holds the objects that the scheduler reads through listers. Pods and nodes are in the scheduler's cache.
func newInformers(o cluster.Objects) informers.SharedInformerFactory {
	listed := cluster.Objects{}
	for kind, objects := range o {
		if kind != "Node" && kind != "Pod" {
			listed[kind] = objects
		}
	}
	return cluster.NewInformers(nil, objects.Kinds, listed, true,
		func(of cluster.Informer) cache.SharedIndexInformer { return &informer{of} })
}
