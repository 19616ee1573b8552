package churn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"winnow.test/e2e/bed"
)

// Program is one that is killed, and that is well when its URL answers 200.
type Program struct {
	*bed.Supervisor
	Weight int // How often it is drawn.
	Health string
}

// Faults kills programs and cuts networks at random, each once in an interval. The draws depend on the seed alone.
type Faults struct {
	Programs   []Program
	Network    *bed.Network // nil: no cuts.
	Every      time.Duration
	Seed       uint64
	Spare      []string // Names of programs that are not killed after SpareAfter.
	SpareAfter time.Duration
	Trouble    *Trouble
	Say        func(format string, args ...any)

	from  time.Time
	mutex sync.Mutex
	done  map[string]int // Faults by their names.
	alone []string       // Programs that were not well though nothing was broken.
	group sync.WaitGroup
}

// talk is between whom there is traffic: cuts between others would change nothing.
var talk = [][2]string{
	{bed.WinnowName, bed.SchedulerName}, {bed.WinnowName, bed.ServerName(0)}, {bed.WinnowName, bed.ServerName(1)},
	{bed.SchedulerName, bed.ServerName(0)}, {bed.SchedulerName, bed.ServerName(1)},
	{bed.ServerName(0), bed.EtcdName}, {bed.ServerName(1), bed.EtcdName},
}

const (
	shortestCut = 5 * time.Second
	longestCut  = 40 * time.Second
	settles     = 10 * time.Second // After a program is well again.
)

// Run until the context ends; then it waits until all that was broken is whole again.
func (f *Faults) Run(ctx context.Context) {
	f.done, f.from = map[string]int{}, time.Now()
	f.group.Go(func() { f.turns(ctx, 0, f.kill) })
	if f.Network != nil {
		f.group.Go(func() { f.turns(ctx, 1, f.cut) })
	}
	f.group.Wait()
}

// Watch until the context ends: a program that is not well is trouble, whoever has made it.
func (f *Faults) Watch(ctx context.Context) {
	for wait(ctx, 500*time.Millisecond) {
		now := time.Now()
		quiet := f.Trouble.Since(now).Equal(now)
		unwell := f.Unwell()
		if unwell == "" {
			continue
		}
		f.Trouble.Begin()
		f.untilWell()
		f.Trouble.End(settles)
		if quiet && !f.Trouble.During(now.Add(-time.Millisecond), now) {
			f.mutex.Lock()
			f.alone = append(f.alone, now.UTC().Format("15:04:05 ")+unwell)
			f.mutex.Unlock()
		}
	}
}

// Alone are the programs that were not well though nothing was broken, and what they said.
func (f *Faults) Alone() []string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return append([]string(nil), f.alone...)
}

// turns calls once in each interval, in the first third of it: the rest is for a cut.
func (f *Faults) turns(ctx context.Context, stream uint64, fault func(context.Context, *rand.Rand)) {
	random := rand.New(rand.NewPCG(f.Seed, stream))
	for begin := time.Now(); ; begin = begin.Add(f.Every) {
		at := begin.Add(time.Duration(random.Int64N(int64(f.Every) / 3)))
		if !wait(ctx, time.Until(at)) {
			return
		}
		fault(ctx, random)
		if !wait(ctx, time.Until(begin.Add(f.Every))) {
			return
		}
	}
}

func wait(ctx context.Context, long time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(max(0, long)):
		return true
	}
}

func (f *Faults) kill(_ context.Context, random *rand.Rand) {
	victim := f.draw(random)
	f.Trouble.Begin()
	if !victim.Kill() {
		f.Trouble.End(0)
		return
	}
	f.count("killed " + victim.Name)
	begin := time.Now()
	f.group.Go(func() {
		f.untilWell()
		f.Trouble.End(settles)
		f.Say("%s killed %s, well after %.1f s", begin.UTC().Format("15:04:05"), victim.Name, time.Since(begin).Seconds())
	})
}

func (f *Faults) draw(random *rand.Rand) Program {
	var all []Program
	for _, program := range f.Programs {
		if !slices.Contains(f.Spare, program.Name) || time.Since(f.from) < f.SpareAfter {
			for range program.Weight {
				all = append(all, program)
			}
		}
	}
	return all[random.IntN(len(all))]
}

func (f *Faults) cut(ctx context.Context, random *rand.Rand) {
	pair := talk[random.IntN(len(talk))]
	most := min(longestCut, f.Every*2/3)
	long := min(shortestCut, most) + time.Duration(random.Int64N(int64(max(1, most-shortestCut))))
	f.Trouble.Begin()
	begin := time.Now()
	err := f.Network.Cut(pair[0], pair[1])
	f.count(fmt.Sprintf("cut %s from %s", pair[0], pair[1]))
	wait(ctx, long)
	if err == nil {
		err = f.Network.Heal(pair[0], pair[1])
	}
	if err != nil {
		f.Say("FAILED: %v", err)
	}
	long = time.Since(begin)
	f.group.Go(func() {
		f.untilWell()
		f.Trouble.End(max(settles, long)) // TCP sends again after as long a pause as it has made before.
		f.Say("%s cut %s from %s for %.1f s", begin.UTC().Format("15:04:05"), pair[0], pair[1], long.Seconds())
	})
}

// untilWell waits until all programs are well, for two minutes at most.
func (f *Faults) untilWell() {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end) && f.Unwell() != ""; {
		time.Sleep(250 * time.Millisecond)
	}
}

// Unwell names a program that does not answer as it should, or "".
func (f *Faults) Unwell() string {
	for _, program := range f.Programs {
		if code, body, err := bed.Get(program.Health); err != nil || code != http.StatusOK {
			return fmt.Sprintf("%s: %d %.300s %v", program.Name, code, body, err)
		}
	}
	return ""
}

func (f *Faults) count(what string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.done[what]++
}

// Done counts the faults by what they were.
func (f *Faults) Done() map[string]int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	done := map[string]int{}
	for what, count := range f.done {
		done[what] = count
	}
	return done
}
