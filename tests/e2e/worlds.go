package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/kubernetes"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// world is one cluster of its own.
type world struct {
	bed     *bed.Bed
	cluster *cluster.Cluster
}

// worlds are started as they are needed, and stopped at the end. Most scenarios have one; a scenario in which little
// happens at a time, and nothing else may happen beside it, runs in several at once.
type worlds struct {
	binaries, folder string
	apart            bool // Each program in a network namespace of its own.
	all              []world
}

// get gives the world of the number.
func (w *worlds) get(number int) (world, error) {
	for len(w.all) <= number {
		folder := w.folder
		if len(w.all) > 0 {
			folder = filepath.Join(folder, fmt.Sprintf("world-%d", len(w.all)))
		}
		b, err := bed.Start(w.binaries, folder, 2, w.apart)
		if err != nil {
			return world{}, err
		}
		client, err := kubernetes.NewForConfig(b.Config(bed.Admin))
		if err != nil {
			b.Stop()
			return world{}, err
		}
		w.all = append(w.all, world{b, &cluster.Cluster{Client: client}})
	}
	return w.all[number], nil
}

func (w *worlds) stop() {
	for _, world := range w.all {
		world.bed.Stop()
	}
}

// inWorlds deals the jobs to as many worlds as the options say, and runs them there at the same time. What the worlds
// find is this scenario's.
func inWorlds[J any](t *T, jobs []J, run func(*T, []J)) {
	count := min(max(1, t.options.parallel), len(jobs))
	var group sync.WaitGroup
	var parts []*T
	for i := range count {
		world, err := t.options.worlds.get(i)
		t.must(err)
		part := &T{Bed: world.bed, Cluster: world.cluster, Ctx: t.Ctx, way: t.way, options: t.options}
		part.options.folder = world.bed.Folder()
		part.Story = t.Story
		parts = append(parts, part)
	}
	for i, part := range parts {
		var mine []J
		for j := i; j < len(jobs); j += count {
			mine = append(mine, jobs[j])
		}
		group.Go(func() { part.do(func(part *T) { run(part, mine) }) })
	}
	group.Wait()
	for _, part := range parts {
		t.checks += part.checks
		t.failed = t.failed || part.failed
	}
}

// chosen says whether a list that was given by a flag has the name; an empty one has all.
func chosen(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}
