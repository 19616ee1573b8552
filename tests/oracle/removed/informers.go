package main

import (
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// fixed is an informer that knows everything from the start and hands it to a handler at once.
type fixed struct {
	cache.SharedIndexInformer // nil: nothing else is asked.
	indexer                   cache.Indexer
	objects                   []interface{} // In the file's order.
}

func (f *fixed) GetIndexer() cache.Indexer { return f.indexer }
func (f *fixed) GetStore() cache.Store     { return f.indexer }
func (f *fixed) HasSynced() bool           { return true }

func (f *fixed) AddEventHandler(handler cache.ResourceEventHandler) {
	for _, object := range f.objects {
		handler.OnAdd(object)
	}
}

// ordered lists by namespace and name where client-go's indexer lists as a Go map happens to: of the answers that
// upstream can give, the one with "the first by namespace and name" for "the first".
type ordered struct {
	cache.Indexer
	all         []interface{}
	byNamespace map[string][]interface{}
}

func newOrdered(objects []interface{}) *ordered {
	o := &ordered{
		Indexer:     cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
		byNamespace: map[string][]interface{}{},
	}
	for _, object := range objects {
		o.Indexer.Add(object)
	}
	o.all = o.Indexer.List()
	sort.Slice(o.all, func(i, j int) bool { return before(o.all[i], o.all[j]) })
	for _, object := range o.all {
		namespace := object.(metav1.Object).GetNamespace()
		o.byNamespace[namespace] = append(o.byNamespace[namespace], object)
	}
	return o
}

func (o *ordered) List() []interface{} { return o.all }

// Index is how a lister lists a namespace.
func (o *ordered) Index(name string, object interface{}) ([]interface{}, error) {
	if name != cache.NamespaceIndex {
		panic(name)
	}
	return o.byNamespace[object.(metav1.Object).GetNamespace()], nil
}

func before(a, b interface{}) bool {
	x, y := a.(metav1.Object), b.(metav1.Object)
	if x.GetNamespace() != y.GetNamespace() {
		return x.GetNamespace() < y.GetNamespace()
	}
	return x.GetName() < y.GetName()
}

// newInformers holds all objects.
func newInformers(client kubernetes.Interface, o objects) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 0)
	for kind, create := range kinds {
		informer := &fixed{indexer: newOrdered(o[kind]), objects: o[kind]}
		factory.InformerFor(create(), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return factory
}
