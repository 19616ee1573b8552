package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"winnow.test/oracle/common/answer"
)

// measure prints what a cluster takes in memory, line by line: the objects that the informers hold, with the scheduler's cache,
// and with its snapshot.
func measure(dir answer.Directory) error {
	fmt.Println("after heap_bytes rss_bytes")
	o, err := objects.Read(dir.Cluster())
	if err != nil {
		return err
	}
	o.Split()
	c, err := readConfig(dir.Config())
	if err != nil {
		return err
	}
	forAnswers(c)
	known := newInformers(o, false)
	report("objects")
	s, err := newScheduler(c, known)
	if err != nil {
		return err
	}
	defer s.close()
	report("cache")
	if err := s.takeSnapshot(); err != nil {
		return err
	}
	report("snapshot")
	runtime.KeepAlive(o)
	return nil
}

func report(after string) {
	rss := residentBytes() // As it comes; the heap without garbage.
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Println(after, stats.HeapInuse, rss)
}

func residentBytes() (kilobytes int64) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "VmRSS:") {
			fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes)
		}
	}
	return kilobytes << 10
}
