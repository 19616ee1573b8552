package answer

import (
	"fmt"
	"runtime"
	"sort"
	"syscall"
	"unsafe"
)

// ProcessTime is the CPU time of the process, its collector's included, in nanoseconds.
func ProcessTime() int64 {
	const processClock = 2 // CLOCK_PROCESS_CPUTIME_ID
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processClock, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func median(values []int64) int64 {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values[len(values)/2]
}

// Time prints what answering costs the process, median of so many times on one thread: POD filter_ns prioritize_ns
// feasible_count. A pod that upstream fails has no time for scoring, and feasible_count -1. score is that of the nodes found
// last.
func Time(pod string, times int, filter func() (feasible int, err error), score func() error) {
	var filtering, scoring []int64
	feasible := 0
	for i := 0; i < times; i++ {
		var err error
		start := ProcessTime()
		feasible, err = filter()
		middle := ProcessTime()
		if err == nil && feasible > 1 { // One node is not scored.
			err = score()
		}
		if err != nil {
			feasible = -1
		}
		filtering, scoring = append(filtering, middle-start), append(scoring, ProcessTime()-middle)
	}
	fmt.Printf("%s %d %d %d\n", pod, median(filtering), median(scoring), feasible)
}

// OneThread lets the next pods be timed.
func OneThread() {
	runtime.GOMAXPROCS(1)
	runtime.GC()
}
