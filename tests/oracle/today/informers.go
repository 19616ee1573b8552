package main

import (
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// fixed is an informer that knows everything from the start and hands it to a handler at once.
type fixed struct {
	cache.SharedIndexInformer // nil: nothing else is asked.
	indexer                   cache.Indexer
	objects                   []interface{} // In the file's order.
	handlers                  []cache.ResourceEventHandler
}

func (f *fixed) GetIndexer() cache.Indexer                      { return f.indexer }
func (f *fixed) GetStore() cache.Store                          { return f.indexer }
func (f *fixed) HasSynced() bool                                { return true }
func (f *fixed) AddIndexers(indexers cache.Indexers) error      { return f.indexer.AddIndexers(indexers) }
func (f *fixed) SetTransform(handler cache.TransformFunc) error { return nil }

func (f *fixed) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	f.handlers = append(f.handlers, handler)
	for _, object := range f.objects {
		handler.OnAdd(object, true)
	}
	return nil, nil // Who would wait for it is never started.
}

// informerOf is the one of newInformers for the object's kind.
func informerOf(known informers.SharedInformerFactory, object runtime.Object) *fixed {
	return known.InformerFor(object, nil).(*fixed)
}

// update is what a watch would do with an object that has changed.
func (f *fixed) update(object interface{}) {
	before, _, _ := f.indexer.Get(object)
	f.indexer.Update(object)
	for _, handler := range f.handlers {
		handler.OnUpdate(before, object)
	}
}

// ordered lists by namespace and name where client-go's indexer lists as a Go map happens to: of the answers that
// upstream can give, the one with "the first by namespace and name" for "the first".
type ordered struct {
	cache.Indexer
	all []interface{}
}

func newOrdered(indexer cache.Indexer) *ordered {
	return &ordered{indexer, sorted(indexer.List())}
}

func (o *ordered) List() []interface{} { return o.all }

func (o *ordered) Index(name string, object interface{}) ([]interface{}, error) {
	objects, err := o.Indexer.Index(name, object)
	return sorted(objects), err
}

func (o *ordered) ByIndex(name, value string) ([]interface{}, error) {
	objects, err := o.Indexer.ByIndex(name, value)
	return sorted(objects), err
}

// Update makes the list anew.
func (o *ordered) Update(object interface{}) error {
	if err := o.Indexer.Update(object); err != nil {
		return err
	}
	o.all = sorted(o.Indexer.List())
	return nil
}

func sorted(objects []interface{}) []interface{} {
	sort.Slice(objects, func(i, j int) bool { return before(objects[i], objects[j]) })
	return objects
}

func before(a, b interface{}) bool {
	x, y := a.(metav1.Object), b.(metav1.Object)
	if x.GetNamespace() != y.GetNamespace() {
		return x.GetNamespace() < y.GetNamespace()
	}
	return x.GetName() < y.GetName()
}

// newInformers holds all objects. inOrder: their lists are sorted, at some cost.
func newInformers(client kubernetes.Interface, o objects, inOrder bool) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 0)
	for kind, create := range kinds {
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		for _, object := range o[kind] {
			indexer.Add(object)
		}
		if inOrder {
			indexer = newOrdered(indexer)
		}
		informer := &fixed{indexer: indexer, objects: o[kind]}
		factory.InformerFor(create(), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return factory
}
