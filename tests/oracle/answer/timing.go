package answer

import (
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

func Median(values []int64) int64 {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values[len(values)/2]
}
