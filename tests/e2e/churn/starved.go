package churn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Starved knows when the machine gave a program less than a quarter of the processor time that the program wanted. The
// kernel counts both for each thread: how long it ran, and how long it was ready to run and did not.
type Starved struct {
	Programs []Program

	mutex  sync.Mutex
	shares []share
}

// share is what one program got in one second.
type share struct {
	at        time.Time
	program   string
	ran, want time.Duration // Want is what it ran and what it waited for.
}

// A program that wanted less than this in a second was not kept from anything that shows.
const muchWanted = 250 * time.Millisecond

// Run until the context ends.
func (s *Starved) Run(ctx context.Context) {
	before := map[int]share{} // By process.
	for wait(ctx, time.Second) {
		for _, program := range s.Programs {
			pid := program.Current().PID()
			now := share{at: time.Now(), program: program.Name}
			now.ran, now.want = demand(pid)
			if last, known := before[pid]; known {
				s.note(share{now.at, now.program, now.ran - last.ran, now.want - last.want})
			}
			before[pid] = now
		}
	}
}

func (s *Starved) note(one share) {
	if one.want < muchWanted || one.ran*4 >= one.want {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.shares = append(s.shares, one)
}

// demand adds up a process's threads. One that has ended is left out: what it ran is small beside the others.
func demand(pid int) (ran, want time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range files {
		var running, waiting, turns int64
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if _, err := fmt.Sscan(string(text), &running, &waiting, &turns); err == nil {
			ran += time.Duration(running)
			want += time.Duration(running + waiting)
		}
	}
	return ran, want
}

// Most says whether some program was starved in more than half of the seconds between the two.
func (s *Starved) Most(from, until time.Time) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	seconds := map[string]int{}
	for _, one := range s.shares {
		if one.at.After(from) && one.at.Before(until) {
			if seconds[one.program]++; float64(seconds[one.program]) > until.Sub(from).Seconds()/2 {
				return true
			}
		}
	}
	return false
}

// String is for the table: in how many seconds each program was starved.
func (s *Starved) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	seconds := map[string]int{}
	for _, one := range s.shares {
		seconds[one.program]++
	}
	if len(seconds) == 0 {
		return "none"
	}
	return Counted(seconds)
}
