package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"winnow.test/oracle/common/cluster"
)

// informer hands what it knows to a handler at once.
type informer struct{ cluster.Informer }

func (f *informer) AddEventHandler(handler cache.ResourceEventHandler) {
	for _, object := range f.Objects {
		handler.OnAdd(object)
	}
}

func newInformers(o cluster.Objects) informers.SharedInformerFactory {
	return cluster.NewInformers(client, objects.Kinds, o, true, func(of cluster.Informer) cache.SharedIndexInformer { return &informer{of} })
}
