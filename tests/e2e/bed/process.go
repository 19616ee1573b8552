// Package bed starts and stops the real programs: etcd, kube-apiserver, kube-scheduler and winnow, all on loopback.
package bed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a program that was started, and its log.
type Process struct {
	Name string
	Log  string
	from int64 // The log's length when it started.
	cmd  *exec.Cmd
	done chan struct{}
	last time.Duration // CPU time when it ended.
}

// startProcess runs a program whose output goes to FOLDER/NAME.log (appended: a restart keeps what was said before).
func startProcess(folder, name, path string, args ...string) (*Process, error) {
	log := filepath.Join(folder, name+".log")
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &Process{Name: name, Log: log, from: before.Size(), cmd: cmd, done: make(chan struct{})}
	go func() {
		cmd.Wait()
		p.last = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		close(p.done)
	}()
	return p, nil
}

// PID of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal, if the process is still there.
func (p *Process) Signal(signal syscall.Signal) { p.cmd.Process.Signal(signal) }

// Kill ends the process at once, as a crash does.
func (p *Process) Kill() {
	if p == nil {
		return
	}
	p.Signal(syscall.SIGKILL)
	<-p.done
}

// Stop asks the process to end, and ends it if it does not within ten seconds. It returns the exit code.
func (p *Process) Stop() int {
	if p == nil {
		return 0
	}
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		p.Kill()
	}
	return p.cmd.ProcessState.ExitCode()
}

// Ended says whether the process is gone.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// CPU is the processor time spent so far.
func (p *Process) CPU() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		<-p.done
		return p.last
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100) // Linux counts in hundredths for all to see.
}

// PeakMemory is the most memory that was resident at once, in bytes; 0: the process has ended.
func (p *Process) PeakMemory() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			kilobytes, _ := strconv.ParseFloat(fields[1], 64)
			return kilobytes * 1024
		}
	}
	return 0
}

// Tail is the end of the log, for a message about what went wrong.
func (p *Process) Tail(lines int) string {
	text, _ := os.ReadFile(p.Log)
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Said is all that this start of the program has logged.
func (p *Process) Said() string {
	text, _ := os.ReadFile(p.Log)
	return string(text[min(p.from, int64(len(text))):])
}
