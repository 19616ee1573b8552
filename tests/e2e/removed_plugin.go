package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// removedPlugin: manifests/selector-spread.yaml has today's rules and SelectorSpread in one profile. 1,000 pods of a
// Service spread as that one wants, while hard spreading and a claim for one pod keep what they promise. In-tree, which
// no longer has SelectorSpread, says beside it how even its own rules are.
func removedPlugin(t *T) {
	nodes := cluster.Nodes(100, 3, cluster.Allocatable("32", "64Gi", "110"))
	t.must(t.AddNodes(t.Ctx, nodes))
	t.service("web")
	t.onePodClaim("only")
	t.start(t.read(t.manifest("selector-spread.yaml")))
	t.add(cluster.Pod("first", cluster.Claims("only")))
	t.check(t.bound("first", 10*time.Second) != "", "the first pod of the claim is not bound: %s", t.history("first"))
	even := []func(*v1.Pod){cluster.Labelled("app", "even"), cluster.Spread("app", "even", cluster.Zone, 1, v1.DoNotSchedule)}
	pods := cluster.Pods("web", 1000, cluster.Labelled("app", "web"), cluster.Requests("100m", "100Mi"))
	t.add(append(pods, cluster.Pods("even", 60, even...)...)...)
	t.allBound(1061, 90*time.Second)
	t.promises(cluster.Uneven(t.Watch.AllNodes(), t.Watch.All()))
	t.wellSpread(t.podsOf("web"))

	t.add(cluster.Pod("second", cluster.Claims("only")))
	t.message("second", "0/100 nodes are available: 100 node(s) unavailable due to PersistentVolumeClaim with "+
		"ReadWriteOncePod access mode already in-use by another pod.")
}

// onePodClaim makes a claim that one pod may use at a time, with its volume.
func (t *T) onePodClaim(name string) {
	t.must(t.AddClaim(t.Ctx, cluster.Claim(name, cluster.OfOnePod())))
	t.must(t.AddVolume(t.Ctx, cluster.Volume("volume-of-"+name, cluster.For(name))))
	t.must(t.CompleteClaim(t.Ctx, name, "volume-of-"+name))
}

// podsOf are those of an application.
func (t *T) podsOf(app string) (found []*v1.Pod) {
	for _, pod := range t.Watch.All() {
		if pod.Labels["app"] == app {
			found = append(found, pod)
		}
	}
	return found
}
