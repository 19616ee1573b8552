package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// fullSpeed: 5,000 pods as fast as the API server takes them, so that many decisions are made before the first of
// them is seen. No node is ever overcommitted.
func fullSpeed(t *T) { t.speed(400, 5000) }

func someSpeed(t *T) { t.speed(100, 1000) }

func (t *T) speed(nodes, pods int) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(nodes, 4)))
	t.start(today)
	looks := t.look()
	start := time.Now()
	bound := 0
	for burst := range 5 { // Hard spreading is exact at rest: five times.
		batch := mixed(burst, nodes, pods/5)
		bound += len(batch)
		t.add(batch...)
		if !t.allBound(bound, 90*time.Second) {
			break
		}
		for _, broken := range cluster.Uneven(t.Watch.AllNodes(), t.Watch.All()) {
			t.check(false, "after burst %d: %s", burst, broken)
		}
	}
	count, broken := looks()
	t.note("%d pods bound in %.1f s, %d looks", bound, time.Since(start).Seconds(), count)
	t.promises(broken)
}

// nominateFullSpeed: 5,000 gated pods as fast as the API server takes them, on 1,000 nodes that have room for just so
// many. Each goes where Winnow has nominated it, by its first nomination, and no node is ever overcommitted.
func nominateFullSpeed(t *T) {
	const nodes, pods = 1000, 5000
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(nodes, 10)))
	t.start(today)
	looks := t.look()
	start := time.Now()
	t.add(cluster.Pods("full", pods, withGate(nominateGate), cluster.Requests("800m", "100Mi"))...)
	made := time.Since(start)
	t.allBound(pods, 5*time.Minute)
	count, broken := looks()
	t.note("%d pods made in %.1f s, bound after %.1f s (%.1f s of winnow's CPU), %d looks", pods, made.Seconds(),
		time.Since(start).Seconds(), t.Winnow.CPU().Seconds(), count)
	t.promises(broken)
	t.whereNominated()
	t.followed(pods)
}

// mixed pods of a burst: an eighth of the nodes gets a pod with a port, an eighth one that must be apart, some are
// spread, and the rest fills the nodes to nine tenths.
func mixed(burst, nodes, count int) (pods []*v1.Pod) {
	name := string(rune('a' + burst))
	small := cluster.Requests("100m", "100Mi")
	pods = append(pods, cluster.Pods("port-"+name, nodes/8, small, cluster.HostPort(80))...)
	pods = append(pods, cluster.Pods("apart-"+name, nodes/8, small,
		cluster.Labelled("app", "apart"), cluster.Apart("app", "apart", cluster.Hostname))...)
	pods = append(pods, cluster.Pods("even-"+name, nodes/10, small,
		cluster.Labelled("app", "even"), cluster.Spread("app", "even", cluster.Zone, 1, v1.DoNotSchedule))...)
	plain := cluster.Pods("plain-"+name, count-len(pods), cluster.Requests("320m", "100Mi"))
	return shuffled(append(pods, plain...))
}

// shuffled deals the pods like cards to 7 heaps: the kinds come mixed, and in the same order each time.
func shuffled(pods []*v1.Pod) (mixed []*v1.Pod) {
	for heap := range 7 {
		for i := heap; i < len(pods); i += 7 {
			mixed = append(mixed, pods[i])
		}
	}
	return mixed
}

// look checks the promises again and again until the function that it gives is called, which says how often and what
// was broken.
func (t *T) look() func() (int, []string) {
	stop, done := make(chan struct{}), make(chan struct{})
	count, broken := 0, []string(nil)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(250 * time.Millisecond):
			}
			count++
			broken = append(broken, cluster.Broken(t.Watch.AllNodes(), t.Watch.All())...)
		}
	}()
	return func() (int, []string) {
		close(stop)
		<-done
		broken = append(broken, cluster.Broken(t.Watch.AllNodes(), t.Watch.All())...)
		return count + 1, append(broken, t.Watch.Broken...)
	}
}

// promises reports what looks have found, the first few.
func (t *T) promises(broken []string) {
	t.check(len(broken) == 0, "%d promises seen broken, the first: %v", len(broken), broken[:min(5, len(broken))])
}
