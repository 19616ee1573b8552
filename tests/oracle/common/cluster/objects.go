// Package cluster is what the oracle programs share about the objects of a cluster. A program links it with the API of the
// release that it asks.
package cluster

import (
	"os"
	"sort"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/oracle/common/answer"
)

// Objects is what a file holds, by kind and in its order.
type Objects map[string][]interface{}

// Reader reads a release's objects. Kinds are those that its scheduler reads, each as the type of its informer.
type Reader struct {
	Kinds   map[string]func() runtime.Object
	Decode  func(text []byte, into interface{}) error
	Default func(runtime.Object) error // As an API server does.
}

// Read reads a v1 List.
func (r Reader) Read(path string) (Objects, error) {
	o := Objects{}
	return o, answer.EachItem(path, func(kind, _ string, item []byte) error {
		create, ok := r.Kinds[kind]
		if !ok {
			return nil
		}
		object := create()
		o[kind] = append(o[kind], object)
		if err := r.Decode(item, object); err != nil {
			return err
		}
		return r.Default(object)
	})
}

// ReadDirectory reads the cluster, and the pods that are asked about: the pending ones by namespace and name, then those of
// pods.json, if it is there.
func (r Reader) ReadDirectory(dir answer.Directory) (o Objects, asked []*v1.Pod, err error) {
	if o, err = r.Read(dir.Cluster()); err != nil {
		return nil, nil, err
	}
	further := Objects{}
	if _, err := os.Stat(dir.Pods()); !os.IsNotExist(err) {
		if further, err = r.Read(dir.Pods()); err != nil {
			return nil, nil, err
		}
	}
	pending := o.Split()
	sort.Slice(pending, func(i, j int) bool { return Before(pending[i], pending[j]) })
	return o, append(pending, further.pods()...), nil
}

func (o Objects) pods() (pods []*v1.Pod) {
	for _, object := range o["Pod"] {
		pods = append(pods, object.(*v1.Pod))
	}
	return pods
}

// Split takes the pods that wait for a node out of the objects, and those that are done with: the scheduler's informer has
// the field selector status.phase!=Succeeded,status.phase!=Failed. Pods that are nominated for a node stay among the objects
// as well: upstream's handlers put them into its queue, and that is where it looks for them.
func (o Objects) Split() (pending []*v1.Pod) {
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

// Before is the order by namespace and name.
func Before(a, b metav1.Object) bool {
	if a.GetNamespace() != b.GetNamespace() {
		return a.GetNamespace() < b.GetNamespace()
	}
	return a.GetName() < b.GetName()
}

// Sorted sorts objects by namespace and name, in their place.
func Sorted(objects []interface{}) []interface{} {
	sort.Slice(objects, func(i, j int) bool { return Before(objects[i].(metav1.Object), objects[j].(metav1.Object)) })
	return objects
}
