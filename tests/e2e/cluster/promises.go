package cluster

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Broken says what the bound pods break of what holds at any moment: requests at most what a node has, a host port once
// on a node, required anti-affinity. Selectors are taken to be of the pods' one namespace.
func Broken(nodes []*v1.Node, pods []*v1.Pod) []string {
	byNode := map[string][]*v1.Pod{}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			byNode[pod.Spec.NodeName] = append(byNode[pod.Spec.NodeName], pod)
		}
	}
	var broken []string
	for _, node := range nodes {
		broken = append(broken, overcommitted(node, byNode[node.Name])...)
		broken = append(broken, sharedPorts(node, byNode[node.Name])...)
	}
	return append(broken, notApart(nodes, byNode)...)
}

func overcommitted(node *v1.Node, pods []*v1.Pod) (broken []string) {
	count := resource.NewQuantity(int64(len(pods)), resource.DecimalSI)
	asked := map[v1.ResourceName]*resource.Quantity{v1.ResourcePods: count}
	for _, pod := range pods {
		for name, quantity := range pod.Spec.Containers[0].Resources.Requests {
			if asked[name] == nil {
				asked[name] = &resource.Quantity{}
			}
			asked[name].Add(quantity)
		}
	}
	for name, sum := range asked {
		if has := node.Status.Allocatable[name]; sum.Cmp(has) > 0 {
			broken = append(broken, fmt.Sprintf("%s: %s of %s asked, %s there", node.Name, sum, name, has.String()))
		}
	}
	return broken
}

func sharedPorts(node *v1.Node, pods []*v1.Pod) (broken []string) {
	taken := map[int32]string{}
	for _, pod := range pods {
		for _, port := range pod.Spec.Containers[0].Ports {
			if before, twice := taken[port.HostPort]; twice && port.HostPort != 0 {
				broken = append(broken, fmt.Sprintf("%s: port %d is taken by %s and %s", node.Name, port.HostPort, before, pod.Name))
			}
			taken[port.HostPort] = pod.Name
		}
	}
	return broken
}

// notApart looks at each required anti-affinity term once for each domain: two pods, of which one has the term and
// the other matches it.
func notApart(nodes []*v1.Node, byNode map[string][]*v1.Pod) (broken []string) {
	type domain struct{ topology, value, selector string }
	having, matching := map[domain][]string{}, map[domain][]string{}
	terms := antiAffinityTerms(byNode)
	for _, node := range nodes {
		for selector, term := range terms {
			in := domain{term.TopologyKey, node.Labels[term.TopologyKey], selector}
			for _, pod := range byNode[node.Name] {
				if hasTerm(pod, selector) {
					having[in] = append(having[in], pod.Name)
				}
				if Matches(term.LabelSelector, pod) {
					matching[in] = append(matching[in], pod.Name)
				}
			}
		}
	}
	for in, pods := range having {
		for _, other := range matching[in] {
			if other != pods[0] || len(pods) > 1 {
				broken = append(broken, fmt.Sprintf("%s=%s: %s must be apart from %s", in.topology, in.value, pods[0], other))
				break
			}
		}
	}
	return broken
}

func antiAffinityTerms(byNode map[string][]*v1.Pod) map[string]v1.PodAffinityTerm {
	terms := map[string]v1.PodAffinityTerm{}
	for _, pods := range byNode {
		for _, pod := range pods {
			for _, term := range RequiredApart(pod) {
				terms[termKey(term)] = term
			}
		}
	}
	return terms
}

// RequiredApart are the required anti-affinity terms of the pod.
func RequiredApart(pod *v1.Pod) []v1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

func hasTerm(pod *v1.Pod, key string) bool {
	for _, term := range RequiredApart(pod) {
		if termKey(term) == key {
			return true
		}
	}
	return false
}

func termKey(term v1.PodAffinityTerm) string {
	return term.TopologyKey + " " + meta.FormatLabelSelector(term.LabelSelector)
}

// Matches says whether the selector has the pod; a wrong one has none.
func Matches(selector *meta.LabelSelector, pod *v1.Pod) bool {
	found, err := meta.LabelSelectorAsSelector(selector)
	return err == nil && found.Matches(labels.Set(pod.Labels))
}

// Uneven says which hard spread constraints do not hold, over all nodes. It is for a cluster at rest: binds that are
// under way may be seen in another order than they were decided in.
func Uneven(nodes []*v1.Node, pods []*v1.Pod) []string {
	nodeOf := map[string]*v1.Node{}
	for _, node := range nodes {
		nodeOf[node.Name] = node
	}
	broken := map[string]bool{}
	for _, pod := range pods {
		for _, constraint := range pod.Spec.TopologySpreadConstraints {
			if pod.Spec.NodeName == "" || constraint.WhenUnsatisfiable != v1.DoNotSchedule {
				continue
			}
			key := constraint.TopologyKey + " " + meta.FormatLabelSelector(constraint.LabelSelector)
			if _, seen := broken[key]; !seen {
				broken[key] = false
				if counts := perDomain(nodeOf, pods, constraint); skew(counts) > int(constraint.MaxSkew) {
					broken[key] = true
				}
			}
		}
	}
	var uneven []string
	for key, is := range broken {
		if is {
			uneven = append(uneven, "more uneven than allowed: "+key)
		}
	}
	return uneven
}

func perDomain(nodeOf map[string]*v1.Node, pods []*v1.Pod, constraint v1.TopologySpreadConstraint) map[string]int {
	counts := map[string]int{}
	for _, node := range nodeOf {
		counts[node.Labels[constraint.TopologyKey]] += 0
	}
	for _, pod := range pods {
		if node := nodeOf[pod.Spec.NodeName]; node != nil && Matches(constraint.LabelSelector, pod) {
			counts[node.Labels[constraint.TopologyKey]]++
		}
	}
	return counts
}

func skew(counts map[string]int) int {
	least, most := -1, 0
	for _, count := range counts {
		if least < 0 || count < least {
			least = count
		}
		most = max(most, count)
	}
	return most - least
}
