package cluster

import (
	"context"

	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// AddBudget allows no disruption of the pods of a label, of which there are so many. There is no controller that would
// write the status.
func (c *Cluster) AddBudget(ctx context.Context, key, value string, pods int) error {
	budgets := c.Client.PolicyV1().PodDisruptionBudgets(Namespace)
	all := intstr.FromString("100%")
	budget := &policy.PodDisruptionBudget{
		ObjectMeta: meta.ObjectMeta{Name: key},
		Spec:       policy.PodDisruptionBudgetSpec{MinAvailable: &all, Selector: selector(key, value)},
	}
	budget, err := budgets.Create(ctx, budget, meta.CreateOptions{})
	if err != nil {
		return err
	}
	budget.Status = policy.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation,
		ExpectedPods: int32(pods), CurrentHealthy: int32(pods), DesiredHealthy: int32(pods)}
	_, err = budgets.UpdateStatus(ctx, budget, meta.UpdateOptions{})
	return err
}
