package cluster

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Informer knows everything from the start. A program's own hands it to a handler at once: AddEventHandler differs between the
// releases.
type Informer struct {
	cache.SharedIndexInformer // nil: nothing else is asked.
	Indexer                   cache.Indexer
	Objects                   []interface{} // In the file's order.
	Handlers                  []cache.ResourceEventHandler
}

func (f *Informer) GetIndexer() cache.Indexer { return f.Indexer }
func (f *Informer) GetStore() cache.Store     { return f.Indexer }
func (f *Informer) HasSynced() bool           { return true }

// Change is what a watch would do with an object that has changed.
func (f *Informer) Change(object interface{}) {
	before, _, _ := f.Indexer.Get(object)
	f.Indexer.Update(object)
	for _, handler := range f.Handlers {
		handler.OnUpdate(before, object)
	}
}

// NewInformers holds the objects of all kinds. own makes the program's informer of one; inOrder: their lists are sorted, at
// some cost.
func NewInformers(client kubernetes.Interface, kinds map[string]func() runtime.Object, o Objects, inOrder bool,
	own func(Informer) cache.SharedIndexInformer) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 0)
	for kind, create := range kinds {
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		for _, object := range o[kind] {
			indexer.Add(object)
		}
		if inOrder {
			indexer = newOrdered(indexer)
		}
		informer := own(Informer{Indexer: indexer, Objects: o[kind]})
		factory.InformerFor(create(), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return factory
}

// ordered lists by namespace and name where client-go's indexer lists as a Go map happens to: of the answers that
// upstream can give, the one with "the first by namespace and name" for "the first".
type ordered struct {
	cache.Indexer
	all         []interface{}
	byNamespace map[string][]interface{}
}

func newOrdered(indexer cache.Indexer) *ordered {
	o := &ordered{Indexer: indexer, all: Sorted(indexer.List()), byNamespace: map[string][]interface{}{}}
	for _, object := range o.all {
		namespace := object.(metav1.Object).GetNamespace()
		o.byNamespace[namespace] = append(o.byNamespace[namespace], object)
	}
	return o
}

func (o *ordered) List() []interface{} { return o.all }

// Index is how a lister lists a namespace.
func (o *ordered) Index(name string, object interface{}) ([]interface{}, error) {
	if name == cache.NamespaceIndex {
		return o.byNamespace[object.(metav1.Object).GetNamespace()], nil
	}
	objects, err := o.Indexer.Index(name, object)
	return Sorted(objects), err
}

func (o *ordered) ByIndex(name, value string) ([]interface{}, error) {
	objects, err := o.Indexer.ByIndex(name, value)
	return Sorted(objects), err
}

// Add puts the object in its place.
func (o *ordered) Add(object interface{}) error {
	namespace := object.(metav1.Object).GetNamespace()
	o.all = Sorted(append(o.all, object))
	o.byNamespace[namespace] = Sorted(append(o.byNamespace[namespace], object))
	return o.Indexer.Add(object)
}

// Update puts the object in the place of the one that was there under its name.
func (o *ordered) Update(object interface{}) error {
	before, _, err := o.Indexer.Get(object)
	if err != nil {
		return err
	}
	for _, list := range [][]interface{}{o.all, o.byNamespace[object.(metav1.Object).GetNamespace()]} {
		for i := range list {
			if list[i] == before {
				list[i] = object
			}
		}
	}
	return o.Indexer.Update(object)
}
