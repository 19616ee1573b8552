package main

import (
	"path"
	"slices"
	"strings"
	"time"

	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// rights: with exactly manifests/rbac.yaml nothing that Winnow asks for is denied, and it asks for nothing but what
// is granted there; a right that is taken away is noticed at the next start. Without nodes Winnow is not ready; without
// another kind it is, says so, and reads the kind when the right is back. Without the kinds that decide about devices no
// pod is refused for them.
func rights(t *T) {
	before, err := t.Audit()
	t.must(err)
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(4, 2)))
	t.start(today, "--discover-api-servers")
	t.add(cluster.Pods("some", 20)...)
	t.allBound(20, 20*time.Second)
	asked := t.askedSince(before)
	t.check(len(asked) > 20, "the API servers' audit logs have %d requests of winnow", len(asked))
	for _, one := range asked {
		t.check(one.ResponseStatus.Code != 401 && one.ResponseStatus.Code != 403,
			"%s %s was answered %d", one.Verb, one.RequestURI, one.ResponseStatus.Code)
	}
	t.allUsed(asked)
	t.withoutRight("nodes")
	t.withoutDevices()
	t.withoutOptional("priorityclasses")
	t.withoutExpected("services")
}

// askedSince gives Winnow's requests without those that were seen before: the API servers outlive a scenario.
func (t *T) askedSince(before []bed.Asked) (asked []bed.Asked) {
	seen := map[string]bool{}
	for _, one := range before {
		seen[one.AuditID] = true
	}
	all, err := t.Audit()
	t.must(err)
	for _, one := range all {
		if !seen[one.AuditID] {
			asked = append(asked, one)
		}
	}
	return asked
}

// allUsed: today's rules list everything that the role lets Winnow list, as a stream where the API server has streams.
func (t *T) allUsed(asked []bed.Asked) {
	listed := map[string]bool{}
	for _, one := range asked {
		if one.Verb == "list" || strings.Contains(one.RequestURI, "sendInitialEvents=true") {
			listed[path.Base(strings.SplitN(one.RequestURI, "?", 2)[0])] = true
		}
	}
	role, err := t.Client.RbacV1().ClusterRoles().Get(t.Ctx, "winnow", meta.GetOptions{})
	t.must(err)
	for _, rule := range role.Rules {
		for _, resource := range rule.Resources {
			t.check(listed[resource], "the role winnow lets it list %s, which it never does", resource)
		}
	}
}

// withoutOptional takes a resource out of the role that the role of an older Winnow lacks, and starts Winnow anew: it
// must become ready, place pods, and say what it does without.
func (t *T) withoutOptional(resource string) {
	t.within(func() {
		t.restartWithout(resource)
		t.placesWithout(resource)
	})
}

// withoutExpected does the same with a resource that each role of Winnow's has granted. When the right is back, Winnow
// reads it without a new start.
func (t *T) withoutExpected(resource string) {
	giveBack := t.restartWithout(resource)
	t.placesWithout(resource)
	giveBack()
	t.isReadAgain(resource)
}

// withoutDevices takes the kinds away that decide about devices, one after another. A pod with a claim gets its node all
// the same, for kube-scheduler looks for the devices too.
func (t *T) withoutDevices() {
	const class, extended = "devices", "e2e.example/device"
	t.must(t.AddDeviceClass(t.Ctx, class, extended))
	for _, node := range t.Watch.AllNodes() {
		t.must(t.AddDevices(t.Ctx, node.Name, 8))
	}
	claims := func(name string) {
		t.must(t.AddDeviceClaim(t.Ctx, name, class))
		t.add(cluster.Pod(name, cluster.ClaimsDevice(name)))
		t.check(t.bound(name, 20*time.Second) != "", "no pod with a claim is placed: %s", t.history(name))
	}
	claims("claims-with-all")
	for _, resource := range []string{"deviceclasses", "devicetaintrules", "resourceclaims", "resourceslices"} {
		t.within(func() {
			giveBack := t.restartWithout(resource)
			t.placesWithout(resource)
			judged := resource == "devicetaintrules" // Devices are known.
			t.check(judged || t.judgesNoClaim(), "without %s a pod with a claim is judged", resource)
			claims("claims-without-" + resource)
			if resource != "deviceclasses" {
				name := "wants-without-" + resource
				t.add(cluster.Pod(name, cluster.Wants(extended, "1")))
				t.check(t.bound(name, 20*time.Second) != "", "no pod is placed whose resource a class provides: %s", t.history(name))
			}
			if resource == "resourceslices" {
				giveBack()
				t.isReadAgain(resource)
				claims("claims-with-all-again")
			}
		})
	}
}

// judgesNoClaim: Winnow says of a new pod with a claim that it is not judged in full.
func (t *T) judgesNoClaim() bool {
	const pod = `{"Pod":{"metadata":{"name":"p","namespace":"default"},"spec":{"containers":[{"name":"c","image":"i"}],
		"resourceClaims":[{"name":"d","resourceClaimName":"claims-with-all"}]}}}`
	code, answer, err := bed.Post(t.Winnow.URL+"/explain", pod)
	return t.check(err == nil && code == 200, "/explain answers %d %v: %.300s", code, err, answer) &&
		strings.Contains(answer, `"notJudged":["spec.resourceClaims: `)
}

func (t *T) isReadAgain(resource string) {
	t.check(cluster.Until(90*time.Second, func() bool { return !t.isUnread(resource) }),
		"winnow does not read %s 90 s after the right was given back", resource)
}

func (t *T) isUnread(resource string) bool {
	_, body, err := bed.Get(t.Winnow.URL + "/readyz")
	return err == nil && strings.Contains(body, resource+" are not read")
}

// placesWithout: Winnow is ready without the resource, places pods, and says what it does without.
func (t *T) placesWithout(resource string) {
	t.check(cluster.Until(10*time.Second, t.Winnow.Ready), "winnow is not ready without the right to list %s", resource)
	t.check(t.isUnread(resource), "/readyz does not say that %s are not read", resource)
	unread, err := bed.Metric(t.Winnow.URL, "winnow_watch_unread", `resource="`+resource+`"`)
	t.check(err == nil && unread == 1, "winnow_watch_unread of %s is %v (%v)", resource, unread, err)
	t.saysOnce(`msg="a right is missing: Winnow does without the resource" resource=` + resource)
	t.add(cluster.Pod("without-" + resource))
	t.check(t.bound("without-"+resource, 20*time.Second) != "", "no pod is placed: %s", t.history("without-"+resource))
}

// restartWithout takes a resource out of the role, and starts Winnow anew. It gives what puts the resource back.
func (t *T) restartWithout(resource string) (giveBack func()) {
	roles := t.Client.RbacV1().ClusterRoles()
	role, err := roles.Get(t.Ctx, "winnow", meta.GetOptions{})
	t.must(err)
	whole := role.DeepCopy()
	for i := range role.Rules {
		role.Rules[i].Resources = without(role.Rules[i].Resources, resource)
	}
	role.Rules = slices.DeleteFunc(role.Rules, func(rule rbac.PolicyRule) bool { return len(rule.Resources) == 0 })
	role, err = roles.Update(t.Ctx, role, meta.UpdateOptions{})
	t.must(err)
	t.later(func() {
		whole.ResourceVersion = role.ResourceVersion
		roles.Update(t.Ctx, whole, meta.UpdateOptions{})
	})
	time.Sleep(500 * time.Millisecond) // RBAC's own watch.
	t.Winnow.Stop()
	t.runWinnow(bed.Winnow, t.Winnow.Port(), t.winnowFlags...)
	return func() {
		role.Rules = append([]rbac.PolicyRule{}, whole.Rules...)
		role, err = roles.Update(t.Ctx, role, meta.UpdateOptions{})
		t.must(err)
	}
}

// withoutRight takes a resource out of the role, and starts Winnow anew: it must not become ready, and must say why.
func (t *T) withoutRight(resource string) {
	giveBack := t.restartWithout(resource)
	t.check(!cluster.Until(4*time.Second, t.Winnow.Ready), "winnow is ready without the right to list %s", resource)
	t.check(t.Winnow.Live(), "winnow is not live without the right to list %s", resource)
	said := t.Winnow.Said()
	t.check(strings.Contains(said, resource) && strings.Contains(said,
		"denied"), "its log does not say that %s is denied:\n%s", resource, said)
	giveBack()
	t.check(cluster.Until(40*time.Second, t.Winnow.Ready), "winnow is not ready 40 s after the right was given back")
}

func without(list []string, item string) (rest []string) {
	for _, one := range list {
		if one != item {
			rest = append(rest, one)
		}
	}
	return rest
}
