package main

import (
	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	devices "k8s.io/api/resource/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/json"
	"winnow.test/oracle/common/cluster"
)

// objects are those that the scheduler reads, each as the type of its informer.
var objects = cluster.Reader{
	Kinds: map[string]func() runtime.Object{
		"Node":                  func() runtime.Object { return &v1.Node{} },
		"Pod":                   func() runtime.Object { return &v1.Pod{} },
		"Namespace":             func() runtime.Object { return &v1.Namespace{} },
		"Service":               func() runtime.Object { return &v1.Service{} },
		"ReplicationController": func() runtime.Object { return &v1.ReplicationController{} },
		"ReplicaSet":            func() runtime.Object { return &apps.ReplicaSet{} },
		"StatefulSet":           func() runtime.Object { return &apps.StatefulSet{} },
		"PersistentVolume":      func() runtime.Object { return &v1.PersistentVolume{} },
		"PersistentVolumeClaim": func() runtime.Object { return &v1.PersistentVolumeClaim{} },
		"StorageClass":          func() runtime.Object { return &storage.StorageClass{} },
		"CSINode":               func() runtime.Object { return &storage.CSINode{} },
		"CSIDriver":             func() runtime.Object { return &storage.CSIDriver{} },
		"CSIStorageCapacity":    func() runtime.Object { return &storage.CSIStorageCapacity{} },
		"VolumeAttachment":      func() runtime.Object { return &storage.VolumeAttachment{} },
		"PodDisruptionBudget":   func() runtime.Object { return &policy.PodDisruptionBudget{} },
		"DeviceClass":           func() runtime.Object { return &devices.DeviceClass{} },
		"ResourceClaim":         func() runtime.Object { return &devices.ResourceClaim{} },
		"ResourceSlice":         func() runtime.Object { return &devices.ResourceSlice{} },
		"DeviceTaintRule":       func() runtime.Object { return &devices.DeviceTaintRule{} },
	},
	Decode:  json.UnmarshalCaseSensitivePreserveInts, // As client-go does.
	Default: setDefaults,
}
