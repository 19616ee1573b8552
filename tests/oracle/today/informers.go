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
	return synced{}, nil
}

// appear is what a watch would do with an object that is new.
func (f *informer) appear(object interface{}) error {
	if err := f.Indexer.Add(object); err != nil {
		return err
	}
	for _, handler := range f.Handlers {
		handler.OnAdd(object, false)
	}
	return nil
}

// AddEventHandlerWithOptions is how the tracker of device slices asks.
func (f *informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *informer) HasSyncedChecker() cache.DoneChecker { return synced{} }

// synced is of a handler that knows everything.
type synced struct{}

var done = func() chan struct{} {
	channel := make(chan struct{})
	close(channel)
	return channel
}()

func (synced) HasSynced() bool                       { return true }
func (s synced) HasSyncedChecker() cache.DoneChecker { return s }
func (synced) Name() string                          { return "all that there is" }
func (synced) Done() <-chan struct{}                 { return done }

// informerOf is the one of newInformers for the object's kind.
func informerOf(known informers.SharedInformerFactory, object runtime.Object) *informer {
	return known.InformerFor(object, nil).(*informer)
}

func newInformers(o cluster.Objects, inOrder bool) informers.SharedInformerFactory {
	return cluster.NewInformers(client, objects.Kinds, o, inOrder, func(of cluster.Informer) cache.SharedIndexInformer { return &informer{of} })
}
