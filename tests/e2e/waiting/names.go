package waiting

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/cluster"
)

const others = "others" // A namespace.

// namespace: the pod must be near a pod of some namespace, which gets its label. kube-scheduler itself does not look
// again when a namespace changes: a node that is added a moment later has it look.
func namespace() Kind {
	return Kind{
		Name: "namespace changed", Prepare: alone,
		Before: func(s *Stage, try int) error {
			if err := s.haveNamespace(others); err != nil {
				return err
			}
			return s.AddPods(s.Ctx, []*v1.Pod{cache(try)})
		},
		Pod: func(name string, _ int) *v1.Pod {
			return cluster.Pod(name, cluster.NearIn("team", "a", "app", "cache", cluster.Hostname))
		},
		Event: func(s *Stage, _ int) error {
			if err := s.labelNamespace(`{"metadata":{"labels":{"team":"a"}}}`); err != nil {
				return err
			}
			return s.wake()
		},
		After: func(s *Stage, try int) error {
			if err := s.labelNamespace(`{"metadata":{"labels":{"team":null}}}`); err != nil {
				return err
			}
			if err := s.Client.CoreV1().Pods(others).Delete(s.Ctx, cache(try).Name, meta.DeleteOptions{}); err != nil {
				return err
			}
			return s.removeNewNode()
		},
	}
}

func cache(try int) *v1.Pod {
	pod := cluster.Pod(fmt.Sprintf("cache-%d", try), cluster.Labelled("app", "cache"), cluster.On(node(try)))
	pod.Namespace = others
	return pod
}

// wake adds a node a moment later, so that kube-scheduler looks again and knows by then what came before.
func (s *Stage) wake() error {
	time.Sleep(10 * time.Millisecond)
	return s.addNewNode()
}

func (s *Stage) haveNamespace(name string) error {
	namespace := &v1.Namespace{ObjectMeta: meta.ObjectMeta{Name: name}}
	_, err := s.Client.CoreV1().Namespaces().Create(s.Ctx, namespace, meta.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (s *Stage) labelNamespace(change string) error {
	namespaces := s.Client.CoreV1().Namespaces()
	_, err := namespaces.Patch(s.Ctx, others, types.MergePatchType, []byte(change), meta.PatchOptions{})
	return err
}
