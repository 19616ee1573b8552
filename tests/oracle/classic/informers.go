package main

import (
	"sort"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1beta1"
	storage "k8s.io/api/storage/v1"
	storagebeta "k8s.io/api/storage/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// fixed is an informer that knows everything from the start and hands it to a handler at once.
type fixed struct {
	cache.SharedIndexInformer // nil: nothing else is asked.
	indexer                   *ordered
	handlers                  []cache.ResourceEventHandler
}

func (f *fixed) GetIndexer() cache.Indexer { return f.indexer }
func (f *fixed) GetStore() cache.Store     { return f.indexer }
func (f *fixed) HasSynced() bool           { return true }

func (f *fixed) AddEventHandler(handler cache.ResourceEventHandler) {
	f.handlers = append(f.handlers, handler)
	for _, object := range f.indexer.List() {
		handler.OnAdd(object)
	}
}

// update is what a watch would do with an object that has changed.
func (f *fixed) update(object interface{}) {
	before := f.indexer.replace(object)
	for _, handler := range f.handlers {
		handler.OnUpdate(before, object)
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
		Indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
	}
	for _, object := range objects {
		o.Indexer.Add(object)
	}
	keys := o.Indexer.ListKeys()
	sort.Strings(keys)
	o.byNamespace = map[string][]interface{}{}
	for _, key := range keys {
		object, _, _ := o.Indexer.GetByKey(key)
		o.all = append(o.all, object)
		namespace := namespaceOf(object)
		o.byNamespace[namespace] = append(o.byNamespace[namespace], object)
	}
	return o
}

func namespaceOf(object interface{}) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return accessor.GetNamespace()
}

func (o *ordered) List() []interface{} { return o.all }

func (o *ordered) Index(name string, object interface{}) ([]interface{}, error) {
	if name != cache.NamespaceIndex {
		panic(name)
	}
	return o.byNamespace[namespaceOf(object)], nil
}

// replace returns what was there under the object's name.
func (o *ordered) replace(object interface{}) (before interface{}) {
	before, _, _ = o.Indexer.Get(object)
	o.Indexer.Update(object)
	for _, list := range [][]interface{}{o.all, o.byNamespace[namespaceOf(object)]} {
		for i := range list {
			if list[i] == before {
				list[i] = object
			}
		}
	}
	return before
}

// newInformers holds the objects that the scheduler reads through listers. Pods and nodes are in the scheduler's cache.
func newInformers(o *objects) informers.SharedInformerFactory {
	f := informers.NewSharedInformerFactory(nil, 0)
	put := func(kind runtime.Object, n int, at func(int) interface{}) {
		list := make([]interface{}, n)
		for i := range list {
			list[i] = at(i)
		}
		f.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
			return &fixed{indexer: newOrdered(list)}
		})
	}
	put(&v1.Node{}, 0, nil)
	put(&v1.Pod{}, 0, nil)
	put(&v1.Service{}, len(o.services), func(i int) interface{} { return o.services[i] })
	put(&v1.ReplicationController{}, len(o.rcs), func(i int) interface{} { return o.rcs[i] })
	put(&apps.ReplicaSet{}, len(o.rss), func(i int) interface{} { return o.rss[i] })
	put(&apps.StatefulSet{}, len(o.sss), func(i int) interface{} { return o.sss[i] })
	put(&v1.PersistentVolume{}, len(o.pvs), func(i int) interface{} { return o.pvs[i] })
	put(&v1.PersistentVolumeClaim{}, len(o.pvcs), func(i int) interface{} { return o.pvcs[i] })
	put(&storage.StorageClass{}, len(o.classes), func(i int) interface{} { return o.classes[i] })
	put(&storagebeta.CSINode{}, len(o.csiNodes), func(i int) interface{} { return o.csiNodes[i] })
	put(&policy.PodDisruptionBudget{}, len(o.pdbs), func(i int) interface{} { return o.pdbs[i] })
	return f
}
