package main

import (
	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"winnow.test/oracle/common/cluster"
)

// objects are those that the removed plugins read, each as the type of its informer.
var objects = cluster.Reader{
	Kinds: map[string]func() runtime.Object{
		"Node":                  func() runtime.Object { return &v1.Node{} },
		"Pod":                   func() runtime.Object { return &v1.Pod{} },
		"Service":               func() runtime.Object { return &v1.Service{} },
		"ReplicationController": func() runtime.Object { return &v1.ReplicationController{} },
		"ReplicaSet":            func() runtime.Object { return &apps.ReplicaSet{} },
		"StatefulSet":           func() runtime.Object { return &apps.StatefulSet{} },
		"PersistentVolume":      func() runtime.Object { return &v1.PersistentVolume{} },
		"PersistentVolumeClaim": func() runtime.Object { return &v1.PersistentVolumeClaim{} },
		"StorageClass":          func() runtime.Object { return &storage.StorageClass{} },
		"CSINode":               func() runtime.Object { return &storage.CSINode{} },
	},
	Decode: json.CaseSensitiveJSONIterator().Unmarshal, // As client-go does: fields by their exact names.
	Default: func(object runtime.Object) error {
		defaults.Default(object)
		return nil
	},
}
