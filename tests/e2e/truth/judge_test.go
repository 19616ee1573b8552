package truth

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/cluster"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// court has two nodes in each of two zones, and takes changes a second apart. A decision may be two seconds old.
type court struct {
	*Judge
	now time.Time
}

func newCourt() *court {
	c := &court{New(func(now time.Time) time.Time { return now.Add(-2500 * time.Millisecond) }), start}
	for _, node := range cluster.Nodes(4, 2) {
		c.node(node)
	}
	return c
}

func (c *court) take(change Change) {
	c.now = c.now.Add(time.Second)
	change.At = c.now
	c.Take(change)
}

func (c *court) node(node *v1.Node) { c.take(Change{Key: node.Name, IsNode: true, Node: node}) }

// pod is made at a node, or without one.
func (c *court) pod(name, node string, edits ...func(*v1.Pod)) {
	pod := cluster.Pod(name, edits...)
	pod.UID = types.UID(name)
	c.take(Change{Key: "default/" + name, Pod: pod.DeepCopy()})
	if node != "" {
		pod.Spec.NodeName = node
		c.take(Change{Key: "default/" + name, Pod: pod})
	}
}

func (c *court) deletes(name string) {
	c.Expect(name)
	c.take(Change{Key: "default/" + name})
}

func TestPromises(t *testing.T) {
	big, apart := cluster.Requests("3", "1Gi"), cluster.Apart("app", "a", cluster.Hostname)
	app, even := cluster.Labelled("app", "a"), cluster.Spread("app", "a", cluster.Zone, 1, v1.DoNotSchedule)
	closed := cluster.Node("node-0000", "zone-0")
	closed.Spec.Unschedulable = true
	for _, row := range []struct {
		name, want string // No promise is broken where it is "".
		story      func(*court)
	}{
		{"room for both", "", func(c *court) { c.pod("a", "node-0000", big); c.pod("b", "node-0001", big) }},
		{"too many on a node", "overcommitted", func(c *court) { c.pod("a", "node-0000", big); c.pod("b", "node-0000", big) }},
		{"one goes first", "", func(c *court) { c.pod("a", "node-0000", big); c.deletes("a"); c.pod("b", "node-0000", big) }},
		{"the node has just shrunk", "", func(c *court) {
			c.node(cluster.Node("node-0000", "zone-0", cluster.Allocatable("1", "1Gi", "9")))
			c.pod("a", "node-0000", big)
		}},
		{"the node has long shrunk", "overcommitted", func(c *court) {
			c.node(cluster.Node("node-0000", "zone-0", cluster.Allocatable("1", "1Gi", "9")))
			c.now = c.now.Add(time.Minute)
			c.pod("a", "node-0000", big)
		}},
		{"no such node", "no node", func(c *court) { c.pod("a", "node-0009") }},
		{"cordoned just now", "", func(c *court) { c.node(closed); c.pod("a", "node-0000") }},
		{"cordoned", "cordoned", func(c *court) { c.node(closed); c.now = c.now.Add(time.Minute); c.pod("a", "node-0000") }},
		{"wrong label", "labels", func(c *court) { c.pod("a", "node-0000", cluster.NodeSelector("disk", "ssd")) }},
		{"apart", "", func(c *court) { c.pod("a", "node-0000", app, apart); c.pod("b", "node-0001", app, apart) }},
		{"not apart", "must be apart", func(c *court) { c.pod("a", "node-0000", app, apart); c.pod("b", "node-0000", app) }},
		{"even", "", func(c *court) { c.pod("a", "node-0000", app, even); c.pod("b", "node-0001", app, even) }},
		{"uneven", "is number 2", func(c *court) { c.pod("a", "node-0000", app, even); c.pod("b", "node-0002", app, even) }},
		{"uneven with one on its way", "", func(c *court) {
			c.pod("a", "node-0000", app, even)
			c.pod("waits", "", app, even)
			c.pod("b", "node-0002", app, even)
		}},
		{"uneven since one has just gone", "", func(c *court) {
			c.pod("a", "node-0000", app, even)
			c.pod("b", "node-0001", app, even)
			c.deletes("b")
			c.pod("c", "node-0002", app, even)
		}},
		{"uneven since one has gone before another came", "", func(c *court) {
			c.Since = func(now time.Time) time.Time { return now.Add(-4500 * time.Millisecond) }
			c.pod("a", "node-0000", app, even)
			c.pod("b", "node-0001", app, even)
			c.pod("c", "node-0002", app, even)
			c.deletes("b")
			c.pod("d", "node-0001", app, even)
			c.pod("e", "node-0002", app, even)
		}},
		{"uneven but for pods of a node that is gone", "", func(c *court) {
			c.pod("a", "node-0000", app, even)
			c.take(Change{Key: "node-0000", IsNode: true})
			c.pod("b", "node-0002", app, even)
		}},
		{"uneven though a pod of a node that is gone is deleted", "is number 2", func(c *court) {
			c.pod("a", "node-0000", app, even)
			c.take(Change{Key: "node-0000", IsNode: true})
			c.deletes("a")
			c.now = c.now.Add(time.Minute)
			c.pod("b", "node-0002", app, even)
			c.pod("c", "node-0002", app, even)
		}},
		{"lost", "lost", func(c *court) { c.pod("a", "node-0000"); c.take(Change{Key: "default/a"}) }},
		{"another node", "is on", func(c *court) {
			c.pod("a", "node-0000")
			moved := cluster.Pod("a", cluster.On("node-0001"))
			moved.UID = "a"
			c.take(Change{Key: "default/a", Pod: moved})
		}},
	} {
		c := newCourt()
		row.story(c)
		broken := strings.Join(c.Broken(), "; ")
		if row.want == "" && broken != "" || !strings.Contains(broken, row.want) {
			t.Errorf("%s: %q, expected %q", row.name, broken, row.want)
		}
	}
}
