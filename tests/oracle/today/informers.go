package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"winnow.test/oracle/common/cluster"
)

// informer hands what it knows to a handler at once.
type informer struct{ cluster.Informer }

func (f *informer) AddIndexers(indexers cache.Indexers) error      { return f.Indexer.AddIndexers(indexers) }
func (f *informer) SetTransform(handler cache.TransformFunc) error { return nil }

func (f *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	f.Handlers = append(f.Handlers, handler)
	for _, object := range f.Objects {
		handler.OnAdd(object, true)
	}
	return nil, nil // Who would wait for it is never started.
}

// informerOf is the one of newInformers for the object's kind.
func informerOf(known informers.SharedInformerFactory, object runtime.Object) *informer {
	return known.InformerFor(object, nil).(*informer)
}

func newInformers(o cluster.Objects, inOrder bool) informers.SharedInformerFactory {
	return cluster.NewInformers(client, objects.Kinds, o, inOrder, func(of cluster.Informer) cache.SharedIndexInformer { return &informer{of} })
}
