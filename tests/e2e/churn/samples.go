package churn

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"winnow.test/e2e/bed"
)

// Samples looks at Winnow once a second: at each of its processes, one after another.
type Samples struct {
	Winnow *bed.Supervisor
	URL    string
	Kept   int // The decisions that Winnow keeps at most.

	mutex sync.Mutex
	lives []processLife
}

// processLife is what was seen of one process, from its start to its end.
type processLife struct {
	pid     int
	from    time.Time
	full    time.Time // When all decisions were first kept that may be; zero: not yet.
	samples []sample
	totals  map[string]float64 // Metrics that count, as they were last.
}

type sample struct {
	at           time.Time
	resident     float64 // MiB.
	threads, fds float64
}

// The metrics that are added up over all processes.
var totals = []string{"winnow_watch_connects_total", "winnow_watch_errors_total", "winnow_watch_lists_total",
	"winnow_watch_older_refused_total", "winnow_watch_rewinds_total", "winnow_watch_undecodable_total",
	"winnow_assumed_overdue_total", "winnow_refused_would_fit_total", `winnow_binds_total result="bound"`,
	`winnow_binds_total result="already_bound"`, `winnow_binds_total result="conflict"`, `winnow_binds_total result="not_found"`,
	`winnow_binds_total result="refused"`, `winnow_binds_total result="denied"`, `winnow_binds_total result="unknown"`,
	`winnow_requests_total result="shed"`}

// Run until the context ends.
func (s *Samples) Run(ctx context.Context) {
	for turn := 0; wait(ctx, time.Second); turn++ {
		process := s.Winnow.Current()
		seen, err := look(process.PID())
		if err != nil || process.Ended() {
			continue
		}
		life := s.life(process.PID())
		s.mutex.Lock()
		life.samples = append(life.samples, seen)
		s.mutex.Unlock()
		if turn%5 == 0 {
			s.metrics(life)
		}
	}
}

func (s *Samples) life(pid int) *processLife {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if count := len(s.lives); count == 0 || s.lives[count-1].pid != pid {
		s.lives = append(s.lives, processLife{pid: pid, from: time.Now(), totals: map[string]float64{}})
	}
	return &s.lives[len(s.lives)-1]
}

func (s *Samples) metrics(life *processLife) {
	if kept, err := bed.Metric(s.URL, "winnow_decisions_kept"); err == nil && kept >= float64(s.Kept) && life.full.IsZero() {
		s.mutex.Lock()
		life.full = time.Now()
		s.mutex.Unlock()
	}
	for _, total := range totals {
		name, label, _ := strings.Cut(total, " ")
		if value, err := bed.Metric(s.URL, name, label); err == nil {
			s.mutex.Lock()
			life.totals[total] = value
			s.mutex.Unlock()
		}
	}
}

// look at a process.
func look(pid int) (s sample, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return s, err
	}
	s.at = time.Now()
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 {
			value, _ := strconv.ParseFloat(fields[1], 64)
			switch fields[0] {
			case "VmRSS:":
				s.resident = value / 1024
			case "Threads:":
				s.threads = value
			}
		}
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	s.fds = float64(len(open))
	return s, err
}

// Total adds up a metric over all processes.
func (s *Samples) Total(name string) (sum float64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, life := range s.lives {
		sum += life.totals[name]
	}
	return sum
}

// Totals are all metrics that are not 0.
func (s *Samples) Totals() (all []string) {
	for _, name := range totals {
		if sum := s.Total(name); sum > 0 {
			all = append(all, fmt.Sprintf("%s: %.0f", name, sum))
		}
	}
	return all
}

// warmUp is what a process gets until its memory counts, and until its ring of decisions is full.
const warmUp = time.Minute

// Tenths is the mean of the first and of the last tenth of a process's time, after its warm-up.
type Tenths struct {
	Long         time.Duration // The time, without the warm-up.
	First, Last  sample
	Resident     float64 // Last over first.
	Threads, FDs float64 // Last minus first.
}

// Longest gives the tenths of the process that lived longest.
func (s *Samples) Longest() (t Tenths) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, life := range s.lives {
		if life.full.IsZero() {
			continue
		}
		warm := slices.DeleteFunc(slices.Clone(life.samples), func(s sample) bool {
			return s.at.Sub(life.from) < warmUp || s.at.Before(life.full)
		})
		if len(warm) < 20 {
			continue
		}
		if long := warm[len(warm)-1].at.Sub(warm[0].at); long > t.Long {
			tenth := len(warm) / 10
			t.Long, t.First, t.Last = long, mean(warm[:tenth]), mean(warm[len(warm)-tenth:])
		}
	}
	if t.Long > 0 {
		t.Resident = t.Last.resident / t.First.resident
		t.Threads, t.FDs = t.Last.threads-t.First.threads, t.Last.fds-t.First.fds
	}
	return t
}

// String is for the table.
func (t Tenths) String() string {
	return fmt.Sprintf("%.1f and %.1f MiB, %.3f (threads %.1f and %.1f, descriptors %.1f and %.1f), over %s",
		t.First.resident, t.Last.resident, t.Resident, t.First.threads, t.Last.threads, t.First.fds, t.Last.fds,
		t.Long.Round(time.Second))
}

func mean(samples []sample) (m sample) {
	for _, s := range samples {
		m.resident += s.resident / float64(len(samples))
		m.threads += s.threads / float64(len(samples))
		m.fds += s.fds / float64(len(samples))
	}
	return m
}
