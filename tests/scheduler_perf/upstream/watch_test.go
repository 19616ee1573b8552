package upstream

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/component-base/metrics/testutil"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"winnow.test/scheduler_perf/setup"
)

// Upstream calls nobody when its measurement begins and ends, so what is measured here is looked at this often: from the
// last look at which only the first pods were placed to the first at which all are.
const interval = 20 * time.Millisecond

type look struct {
	at                              time.Time
	pods, cycles                    float64
	upstream, etcd, winnow, machine float64
}

type watch struct {
	setup         setup.Setup
	etcd, winnow  int
	begin, end    look
	ended         bool
	quit, stopped chan struct{}
}

func startWatch(s setup.Setup, winnow *winnow) *watch {
	w := &watch{setup: s, etcd: childOf(os.Getpid(), "etcd"), winnow: winnow.pid(),
		quit: make(chan struct{}), stopped: make(chan struct{})}
	w.begin = w.look()
	go w.run()
	return w
}

func (w *watch) run() {
	defer close(w.stopped)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-ticker.C:
			w.next(w.look())
		}
	}
}

func (w *watch) next(l look) {
	if w.ended {
		return
	}
	if l.pods <= float64(w.setup.InitPods) {
		w.begin = l
	}
	w.end = l
	w.ended = l.pods >= float64(w.setup.InitPods+w.setup.MeasurePods)
}

func (w *watch) stop() setup.Result {
	close(w.quit)
	<-w.stopped
	return setup.Result{
		Seconds:  w.end.at.Sub(w.begin.at).Seconds(),
		Pods:     w.end.pods - w.begin.pods,
		Cycle:    w.end.cycles - w.begin.cycles,
		Upstream: w.end.upstream - w.begin.upstream,
		Etcd:     w.end.etcd - w.begin.etcd,
		Winnow:   w.end.winnow - w.begin.winnow,
		Machine:  w.end.machine - w.begin.machine,
	}
}

func (w *watch) look() look {
	pods, _ := testutil.GetHistogramMetricCount(metrics.SchedulingAlgorithmLatency.ObserverMetric)
	cycles, _ := testutil.GetHistogramMetricValue(metrics.SchedulingAlgorithmLatency.ObserverMetric)
	return look{time.Now(), float64(pods), cycles, cpuOfSelf(), cpuOf(w.etcd), cpuOf(w.winnow), cpuOfMachine()}
}

// cpuOfMachine is what all processes together have used, in seconds.
func cpuOfMachine() (sum float64) {
	text, _ := os.ReadFile("/proc/stat")
	fields := strings.Fields(strings.SplitN(string(text), "\n", 2)[0])
	for _, i := range []int{1, 2, 3, 6, 7} { // User, nice, system, and two kinds of interrupts.
		if i < len(fields) {
			value, _ := strconv.ParseFloat(fields[i], 64)
			sum += value / 100
		}
	}
	return sum
}

func cpuOfSelf() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// cpuOf a process, in seconds: Linux counts in hundredths for all to see. 0 is no process.
func cpuOf(pid int) float64 {
	_, fields := statOf(pid)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// childOf the process by name; 0 if there is none.
func childOf(parent int, name string) int {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		if its, fields := statOf(pid); its == name && len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			return pid
		}
	}
	return 0
}

// statOf a process: its name, and the fields behind that.
func statOf(pid int) (string, []string) {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	from, to := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	if from < 0 || to < from {
		return "", nil
	}
	return string(text[from+1 : to]), strings.Fields(string(text[to+1:]))
}
