package main

import (
	"fmt"
	"sync"
)

// results of all kinds and sides, of type R; worlds put them in at the same time.
type results[R any] struct {
	mutex sync.Mutex
	of    map[string]*R
}

func (r *results[R]) put(kind string, s side, found *R) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.of == nil {
		r.of = map[string]*R{}
	}
	r.of[kind+"/"+s.name] = found
}

// each calls with what a side came to and with what in-tree came to, which is nil where that was not asked for. In-tree
// is a side of its own only where it is the only one.
func (r *results[R]) each(kind string, sides []side, do func(s side, mine, inTree *R)) {
	for _, s := range sides {
		mine := r.of[kind+"/"+s.name]
		if mine != nil && (!s.inTree() || len(sides) == 1) {
			do(s, mine, r.of[kind+"/"+inTreeSide.name])
		}
	}
}

// some ends the scenario where flags leave nothing of a list.
func (t *T) some(what string, count int) {
	if count == 0 {
		t.must(fmt.Errorf("none of the %s has a name that was given", what))
	}
}
