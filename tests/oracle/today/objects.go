package main

import (
	"os"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	devices "k8s.io/api/resource/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/json"
	"winnow.test/oracle/answer"
)

// kinds are those that the scheduler reads, each as the type of its informer.
var kinds = map[string]func() runtime.Object{
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
}

// objects is what a file holds, by kind and in its order.
type objects map[string][]interface{}

func readObjects(path string) (objects, error) {
	o := objects{}
	return o, answer.EachItem(path, func(kind, _ string, item []byte) error {
		create, ok := kinds[kind]
		if !ok {
			return nil
		}
		object := create()
		o[kind] = append(o[kind], object)
		if err := json.UnmarshalCaseSensitivePreserveInts(item, object); err != nil { // As client-go decodes.
			return err
		}
		return setDefaults(object)
	})
}

// readPods returns none where the file is missing.
func readPods(path string) ([]*v1.Pod, error) {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil, nil
	}
	o, err := readObjects(path)
	return o.pods(), err
}

func (o objects) pods() (pods []*v1.Pod) {
	for _, object := range o["Pod"] {
		pods = append(pods, object.(*v1.Pod))
	}
	return pods
}

// split takes the pods that wait for a node out of the objects, and those that are done with: the scheduler's informer has
// the field selector status.phase!=Succeeded,status.phase!=Failed. Pods that are nominated for a node stay among the objects
// as well: upstream's handlers put them into its queue, and that is where it looks for them.
func (o objects) split() (pending []*v1.Pod) {
	var known []interface{}
	for _, pod := range o.pods() {
		if pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
			continue
		}
		if pod.UID == "" { // The cache's key.
			pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
		}
		if pod.Spec.NodeName == "" {
			pending = append(pending, pod)
		}
		if pod.Spec.NodeName != "" || pod.Status.NominatedNodeName != "" {
			known = append(known, pod)
		}
	}
	o["Pod"] = known
	return pending
}
