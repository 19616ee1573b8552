// Package waiting has the kinds of pods that wait: one event makes each of them fit.
package waiting

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/cluster"
)

// Nodes is how many there are: node-0000, ….
const Nodes = 6

// Kind is one reason to wait, and the event that ends it. Each try takes another node in turn.
type Kind struct {
	Name      string
	ByService bool                                  // Under ServicePolicy, for which there is no in-tree.
	Nodes     []func(*v1.Node)                      // Edits of every node.
	Prepare   func(s *Stage) error                  // What all tries share: a pod of the kind fits nowhere then.
	Before    func(s *Stage, try int) error         // What one try needs; may be nil.
	Pod       func(name string, try int) *v1.Pod    // The pod that waits.
	Event     func(s *Stage, try int) error         // Makes it fit.
	After     func(s *Stage, try int) error         // Undoes it; the pod is gone.
	Helper    func(s *Stage, try int) (stop func()) // Plays a controller from the event on; may be nil.
}

// Stage is where a kind is played.
type Stage struct {
	*cluster.Cluster
	Ctx context.Context
}

// All kinds, in the order of the table.
func All() []Kind {
	return []Kind{uncordon(), label(), taint(), nodeAdded(), blocker(), room(), volume(), lateVolume(), claim(), namespace(),
		service()}
}

// Telling are some of each sort, for a short run.
func Telling() []Kind { return []Kind{uncordon(), blocker(), room(), claim()} }

// node of the try.
func node(try int) string { return fmt.Sprintf("node-%04d", try%Nodes) }

// patchNode merges the JSON into the node.
func (s *Stage) patchNode(name, change string) error {
	_, err := s.Client.CoreV1().Nodes().Patch(s.Ctx, name, types.MergePatchType, []byte(change), meta.PatchOptions{})
	return err
}

// onEvery node makes a pod.
func (s *Stage) onEvery(pod func(node string) *v1.Pod) error {
	var pods []*v1.Pod
	for i := range Nodes {
		pods = append(pods, pod(node(i)))
	}
	return s.AddPods(s.Ctx, pods)
}

// remove deletes a pod.
func (s *Stage) remove(pod string) error {
	return s.Client.CoreV1().Pods(cluster.Namespace).Delete(s.Ctx, pod, meta.DeleteOptions{})
}

func alone(*Stage) error { return nil }
