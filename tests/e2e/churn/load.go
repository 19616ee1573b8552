package churn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/truth"
)

// Load makes pods and nodes, and deletes them.
type Load struct {
	Cluster *cluster.Cluster
	Judge   *truth.Judge
	Rate    int     // Pods a second.
	Level   float64 // Of the cpu of all nodes, that pods ask for in the long run.
	Seed    uint64

	Made      atomic.Int64 // Pods.
	NodeTurns atomic.Int64
	number    int
	owners    map[string]types.UID // Of ReplicaSets, by name.
	deletions chan *v1.Pod
	mutex     sync.Mutex
	going     map[types.UID]bool // Pods whose deletion is under way.
	removed   []string           // Names of nodes that are gone.
	nodes     int                // Names of nodes that were given.
}

// kinds of pods, and how many of a thousand there are of each.
var kinds = []struct {
	name  string
	share int
}{{"plain", 360}, {"spread", 200}, {"apart", 150}, {"rather", 150}, {"ssd", 80}, {"set", 47}, {"whale", 8}, {TooLarge, 5}}

// TooLarge is the label "kind" of pods that no node has room for.
const TooLarge = "too-large"

// Prepare makes nodes, and the Services and ReplicaSets that pods belong to: eight of each kind.
func (l *Load) Prepare(ctx context.Context, nodes int) error {
	l.owners, l.deletions, l.going = map[string]types.UID{}, make(chan *v1.Pod, 4096), map[types.UID]bool{}
	for _, kind := range kinds {
		for i := range 8 {
			app := fmt.Sprintf("%s-%d", kind.name, i)
			uid, err := l.Cluster.AddOwners(ctx, "app", app)
			if err != nil {
				return err
			}
			l.owners[app] = uid
		}
	}
	random := rand.New(rand.NewPCG(l.Seed, 10))
	var all []*v1.Node
	for range nodes {
		all = append(all, l.node(random, l.newName(random)))
	}
	return l.Cluster.AddNodes(ctx, all)
}

// Run until the context ends.
func (l *Load) Run(ctx context.Context) {
	var group sync.WaitGroup
	queue := make(chan *v1.Pod, 4096)
	for range 16 {
		group.Go(func() { l.create(ctx, queue) })
	}
	for range 16 {
		group.Go(func() { l.remove(ctx) })
	}
	group.Go(func() { l.draw(ctx, queue) })
	group.Go(func() { l.keepLevel(ctx) })
	group.Go(func() { l.changeNodes(ctx) })
	group.Wait()
}

// draw a pod as often as the rate says.
func (l *Load) draw(ctx context.Context, queue chan<- *v1.Pod) {
	random := rand.New(rand.NewPCG(l.Seed, 11))
	tick := time.NewTicker(time.Second / time.Duration(l.Rate))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		select {
		case queue <- l.pod(random):
		default: // Nobody takes pods any more: the queue is some minutes long.
		}
	}
}

func (l *Load) pod(random *rand.Rand) *v1.Pod {
	draw, kind := random.IntN(1000), ""
	for _, one := range kinds {
		if kind = one.name; draw < one.share {
			break
		}
		draw -= one.share
	}
	l.number++
	app, name := fmt.Sprintf("%s-%d", kind, random.IntN(8)), fmt.Sprintf("%s-%06d", kind, l.number)
	cpu, memory := fmt.Sprintf("%dm", 50*(1+random.IntN(11))), fmt.Sprintf("%dMi", 128*(1+random.IntN(8)))
	edits := []func(*v1.Pod){cluster.Labelled("kind", kind), cluster.Labelled("app", app), l.ownedBy(app)}
	switch kind {
	case "spread":
		edits = append(edits, cluster.Spread("app", app, cluster.Zone, 2, v1.DoNotSchedule))
	case "apart":
		edits = append(edits, cluster.Apart("app", app, cluster.Hostname))
	case "rather":
		edits = append(edits, cluster.RatherApart("app", app, cluster.Zone))
	case "ssd":
		edits = append(edits, cluster.NodeSelector("disk", "ssd"))
	case "set": // As a StatefulSet's: the next one has the name of the one before.
		name = fmt.Sprintf("set-%02d", random.IntN(50))
	case "whale":
		cpu = "6"
		edits = append(edits, cluster.Priority("high"))
	case TooLarge:
		cpu = "64"
	case "plain":
		if random.IntN(10) == 0 {
			edits = append(edits, cluster.Priority("mid"))
		}
	}
	return cluster.Pod(name, append(edits, cluster.Requests(cpu, memory))...)
}

func (l *Load) ownedBy(app string) func(*v1.Pod) {
	yes := true
	return func(pod *v1.Pod) {
		pod.OwnerReferences = []meta.OwnerReference{
			{APIVersion: apps.SchemeGroupVersion.String(), Kind: "ReplicaSet", Name: app, UID: l.owners[app], Controller: &yes}}
	}
}

// create pods. One in thirty is deleted right away, wherever it is on its way.
func (l *Load) create(ctx context.Context, queue <-chan *v1.Pod) {
	for {
		select {
		case <-ctx.Done():
			return
		case pod := <-queue:
			if before := l.Judge.Pod(cluster.Namespace + "/" + pod.Name); before != nil && !l.deleteNow(ctx, before) {
				continue
			}
			if !l.createNow(ctx, pod) {
				continue
			}
			if made := l.Made.Add(1); made%30 == 0 && wait(ctx, time.Duration(made%7)*30*time.Millisecond) {
				if seen := l.Judge.Pod(cluster.Namespace + "/" + pod.Name); seen != nil {
					l.deletion(seen)
				}
			}
		}
	}
}

// createNow says whether the pod was made. The API servers may be away for a while.
func (l *Load) createNow(ctx context.Context, pod *v1.Pod) bool {
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := l.Cluster.Client.CoreV1().Pods(pod.Namespace).Create(within, pod, meta.CreateOptions{})
		cancel()
		if err == nil || errors.IsAlreadyExists(err) {
			return true
		}
		if errors.IsInvalid(err) || errors.IsForbidden(err) {
			panic(err)
		}
		wait(ctx, 200*time.Millisecond)
	}
	return false
}

// deletion of a pod, if it is not under way.
func (l *Load) deletion(pod *v1.Pod) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.going[pod.UID] && len(l.deletions) < cap(l.deletions) {
		l.going[pod.UID] = true
		l.deletions <- pod
	}
}

func (l *Load) remove(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case pod := <-l.deletions:
			l.deleteNow(ctx, pod)
			l.mutex.Lock()
			delete(l.going, pod.UID)
			l.mutex.Unlock()
		}
	}
}

// deleteNow says whether the pod of this UID is gone.
func (l *Load) deleteNow(ctx context.Context, pod *v1.Pod) bool {
	l.Judge.Expect(string(pod.UID))
	only := meta.DeleteOptions{Preconditions: meta.NewUIDPreconditions(string(pod.UID))}
	within, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := l.Cluster.Client.CoreV1().Pods(pod.Namespace).Delete(within, pod.Name, only)
	return err == nil || errors.IsNotFound(err) || errors.IsConflict(err)
}

// keepLevel deletes bound pods at random while there are too many, and those that have been there for too long.
func (l *Load) keepLevel(ctx context.Context) {
	random := rand.New(rand.NewPCG(l.Seed, 12))
	for wait(ctx, 250*time.Millisecond) {
		now, pods := time.Now(), l.Judge.Pods()
		var bound []*v1.Pod
		for _, life := range pods {
			kind := life.Pod.Labels["kind"]
			if life.Bound.IsZero() {
				if kind == TooLarge && now.Sub(life.Created) > 45*time.Second {
					l.deletion(life.Pod)
				}
				continue
			}
			if kind == "whale" && now.Sub(life.Bound) > 20*time.Second {
				l.deletion(life.Pod)
			}
			bound = append(bound, life.Pod)
		}
		for _, pod := range l.Judge.Stray(now, time.Second) { // As the garbage collector of pods does.
			l.deletion(pod)
		}
		over := l.Judge.Load()/l.Level - 1
		for count := int(over * float64(len(bound))); count > 0; count-- {
			l.deletion(bound[random.IntN(len(bound))])
		}
	}
}
