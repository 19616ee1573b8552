package bed

import (
	"fmt"
	"sync"
	"time"
)

// Supervisor keeps a program running as kubelet or systemd does: some seconds after it has ended it is started again.
type Supervisor struct {
	Name string

	start func() (*Process, error)
	pause func() time.Duration // Before it is started again.
	stop  chan struct{}
	done  chan struct{}

	mutex   sync.Mutex
	current *Process
	killed  bool     // The current one, by Kill.
	unasked []string // What ended by itself, or could not be started.
}

// Supervise takes over a program that runs.
func Supervise(name string, running *Process, pause func() time.Duration, start func() (*Process, error)) *Supervisor {
	s := &Supervisor{Name: name, start: start, pause: pause, current: running,
		stop: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *Supervisor) run() {
	defer close(s.done)
	for {
		select {
		case <-s.stop:
			return
		case <-s.Current().done:
		}
		s.ended()
		select {
		case <-s.stop:
			return
		case <-time.After(s.pause()):
		}
		next, err := s.start()
		s.mutex.Lock()
		if err != nil {
			s.unasked = append(s.unasked, err.Error())
		} else {
			s.current, s.killed = next, false
		}
		s.mutex.Unlock()
	}
}

func (s *Supervisor) ended() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.killed {
		s.unasked = append(s.unasked, fmt.Sprintf("at %s with %s: %s", time.Now().UTC().Format("15:04:05"),
			s.current.cmd.ProcessState, s.current.Tail(3)))
	}
}

// Current is the process that was started last.
func (s *Supervisor) Current() *Process {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.current
}

// Kill ends the process as a crash does. It says whether there was one.
func (s *Supervisor) Kill() bool {
	s.mutex.Lock()
	process := s.current
	if process.Ended() {
		s.mutex.Unlock()
		return false
	}
	s.killed = true
	s.mutex.Unlock()
	process.Kill()
	return true
}

// Unasked is what has ended though Kill was not called.
func (s *Supervisor) Unasked() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string(nil), s.unasked...)
}

// Leave stops to supervise: the program runs on.
func (s *Supervisor) Leave() {
	close(s.stop)
	<-s.done
}
