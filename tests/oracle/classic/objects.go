package main

import (
	"encoding/json"
	"os"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1beta1"
	storage "k8s.io/api/storage/v1"
	storagebeta "k8s.io/api/storage/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/oracle/answer"
)

// objects is what the files hold, in their order.
type objects struct {
	nodes    []*v1.Node
	pods     []*v1.Pod
	services []*v1.Service
	rcs      []*v1.ReplicationController
	rss      []*apps.ReplicaSet
	sss      []*apps.StatefulSet
	pvs      []*v1.PersistentVolume
	pvcs     []*v1.PersistentVolumeClaim
	classes  []*storage.StorageClass
	csiNodes []*storagebeta.CSINode // v1's has the same fields.
	pdbs     []*policy.PodDisruptionBudget

	nominated []*v1.Pod // Of the pending ones; after split.
}

func readObjects(path string) (*objects, error) {
	o := &objects{}
	return o, answer.EachItem(path, func(kind, _ string, item []byte) error {
		into := o.add(kind)
		if into == nil {
			return nil
		}
		if err := json.Unmarshal(item, into); err != nil {
			return err
		}
		defaults.Default(into)
		return nil
	})
}

// readPods returns none where the file is missing.
func readPods(path string) ([]*v1.Pod, error) {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil, nil
	}
	o, err := readObjects(path)
	return o.pods, err
}

// add returns the new object to read into; nil for a kind that no rule reads.
func (o *objects) add(kind string) runtime.Object {
	switch kind {
	case "Node":
		o.nodes = append(o.nodes, &v1.Node{})
		return o.nodes[len(o.nodes)-1]
	case "Pod":
		o.pods = append(o.pods, &v1.Pod{})
		return o.pods[len(o.pods)-1]
	case "Service":
		o.services = append(o.services, &v1.Service{})
		return o.services[len(o.services)-1]
	case "ReplicationController":
		o.rcs = append(o.rcs, &v1.ReplicationController{})
		return o.rcs[len(o.rcs)-1]
	case "ReplicaSet":
		o.rss = append(o.rss, &apps.ReplicaSet{})
		return o.rss[len(o.rss)-1]
	case "StatefulSet":
		o.sss = append(o.sss, &apps.StatefulSet{})
		return o.sss[len(o.sss)-1]
	case "PersistentVolume":
		o.pvs = append(o.pvs, &v1.PersistentVolume{})
		return o.pvs[len(o.pvs)-1]
	case "PersistentVolumeClaim":
		o.pvcs = append(o.pvcs, &v1.PersistentVolumeClaim{})
		return o.pvcs[len(o.pvcs)-1]
	case "StorageClass":
		o.classes = append(o.classes, &storage.StorageClass{})
		return o.classes[len(o.classes)-1]
	case "CSINode":
		o.csiNodes = append(o.csiNodes, &storagebeta.CSINode{})
		return o.csiNodes[len(o.csiNodes)-1]
	case "PodDisruptionBudget":
		o.pdbs = append(o.pdbs, &policy.PodDisruptionBudget{})
		return o.pdbs[len(o.pdbs)-1]
	}
	return nil
}

// pending are the pods that wait for a node, assigned the others: as the scheduler's informer sees them, which has the
// field selector status.phase!=Succeeded,status.phase!=Failed.
func (o *objects) split() (pending, assigned []*v1.Pod) {
	for _, pod := range o.pods {
		if pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
			continue
		}
		if pod.UID == "" { // The cache's key.
			pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
		}
		if pod.Spec.NodeName == "" {
			pending = append(pending, pod)
			if pod.Status.NominatedNodeName != "" {
				o.nominated = append(o.nominated, pod)
			}
		} else {
			assigned = append(assigned, pod)
		}
	}
	return pending, assigned
}
