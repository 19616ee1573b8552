package main

import (
	"encoding/json"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1beta1"
	storage "k8s.io/api/storage/v1"
	storagebeta "k8s.io/api/storage/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"winnow.test/oracle/common/cluster"
)

// objects are those that the rules read, each as the type of its informer.
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
		"CSINode":               func() runtime.Object { return &storagebeta.CSINode{} }, // v1's has the same fields.
		"PodDisruptionBudget":   func() runtime.Object { return &policy.PodDisruptionBudget{} },
	},
	Decode: json.Unmarshal,
	Default: func(object runtime.Object) error {
		defaults.Default(object)
		return nil
	},
}
