package answer

import "sort"

// Bindings is what a pod takes on a node: volumes by claim, and claims for which a volume is to be made there.
type Bindings struct{ Claims, Volumes, Promised []string }

// Applied is where the claims are then. A claim that the pod names twice is found two volumes: it has the last.
func (b Bindings) Applied(before map[string]Claim, node string) map[string]Claim {
	after := map[string]Claim{}
	for name, claim := range before {
		after[name] = claim
	}
	for i, name := range b.Claims {
		after[name] = Claim{Volume: b.Volumes[i], Node: after[name].Node}
	}
	for _, name := range b.Promised {
		after[name] = Claim{Volume: after[name].Volume, Node: node}
	}
	return after
}

// BindingsBetween is what has made the claims what they are after.
func BindingsBetween(before, after map[string]Claim) (b Bindings) {
	for name, claim := range after {
		if claim.Volume != before[name].Volume {
			b.Claims, b.Volumes = append(b.Claims, name), append(b.Volumes, claim.Volume)
		}
		if claim.Node != before[name].Node {
			b.Promised = append(b.Promised, name)
		}
	}
	sort.Strings(b.Promised)
	return b
}
