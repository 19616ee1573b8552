package answer

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Each goes on after a directory that fails.
func Each(program string, directories []string, run func(Directory) error) (failure error) {
	for _, dir := range directories {
		if err := run(Directory(dir)); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", dir, err)
			failure = fmt.Errorf("%s: some directories failed", program)
		}
	}
	return failure
}

// Exit ends the process, with 2 for a failure.
func Exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// Quiet lets upstream log nothing: by the functions of klog, of which each release has its own.
func Quiet(initFlags func(*flag.FlagSet), setOutput func(io.Writer)) {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	initFlags(flags)
	flags.Set("logtostderr", "false")
	flags.Set("stderrthreshold", "FATAL")
	setOutput(io.Discard)
}

// SpareCollector lets the heap grow, unless GOGC is set: there are many small clusters, or one large.
func SpareCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(4 << 30)
	}
}
