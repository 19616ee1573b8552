package waiting

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

// ServicePolicy has a rule that reads Services: pods of one stay in one zone. kube-scheduler has no such rule any more.
const ServicePolicy = `
apiVersion: v1
kind: Policy
predicates:
- {name: GeneralPredicates}
- {name: OneZoneForAService, argument: {serviceAffinity: {labels: [topology.kubernetes.io/zone]}}}
priorities:
- {name: LeastRequestedPriority, weight: 1}
`

// service: a Service ties the pod to zone-0, which is full. The Service goes; kube-scheduler does not watch Services, and
// looks again when a node is added a moment later.
func service() Kind {
	member := cluster.Labelled("app", "member")
	return Kind{
		Name: "service changed", ByService: true,
		Prepare: func(s *Stage) error {
			pods := []*v1.Pod{cluster.Pod("first", member, cluster.On(node(0)))}
			for i := 0; i < Nodes; i += 2 { // Every second node is in zone-0.
				pods = append(pods, filler(node(i)))
			}
			return errors.Join(s.AddPods(s.Ctx, pods), s.addService())
		},
		Pod: func(name string, _ int) *v1.Pod { return cluster.Pod(name, member, cluster.Requests("2", "1Gi")) },
		Event: func(s *Stage, _ int) error {
			services := s.Client.CoreV1().Services(cluster.Namespace)
			return errors.Join(services.Delete(s.Ctx, "members", meta.DeleteOptions{}), s.wake())
		},
		After: func(s *Stage, _ int) error { return errors.Join(s.addService(), s.removeNewNode()) },
	}
}

func (s *Stage) addService() error {
	service := &v1.Service{
		ObjectMeta: meta.ObjectMeta{Name: "members"},
		Spec:       v1.ServiceSpec{Selector: map[string]string{"app": "member"}, Ports: []v1.ServicePort{{Port: 80}}}}
	_, err := s.Client.CoreV1().Services(cluster.Namespace).Create(s.Ctx, service, meta.CreateOptions{})
	return err
}
