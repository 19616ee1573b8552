package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"winnow.test/e2e/cluster"
)

// recordRun: what Winnow records beside kube-scheduler it answers again, byte for byte, and without names too.
func recordRun(t *T) {
	if t.options.short {
		t.recordSpeed(100, 1000)
	} else {
		t.recordSpeed(400, 5000)
	}
}

func (t *T) recordSpeed(nodes, pods int) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(nodes, 4)))
	folder, err := os.MkdirTemp(t.options.folder, "recording-")
	t.must(err)
	t.later(func() { os.RemoveAll(folder) })
	recording := filepath.Join(folder, "recording")
	t.start(today, "--record", recording)
	start := time.Now()
	bound := 0
	for burst := range 5 {
		batch := mixed(burst, nodes, pods/5)
		bound += len(batch)
		t.add(batch...)
		if !t.allBound(bound, 3*time.Minute) {
			break
		}
	}
	t.note("%d pods bound in %.1f s, with %.1f s of winnow's CPU", bound, time.Since(start).Seconds(), t.Winnow.CPU().Seconds())
	t.Winnow.Stop()

	played := t.replay(recording)
	t.check(played.Different == 0, "%d answers are others", played.Different)
	t.check(played.Equal >= bound, "%d answers for %d pods", played.Equal, bound)
	nameless := filepath.Join(folder, "nameless")
	t.replay(recording, "--anonymize", nameless)
	again := t.replay(nameless)
	t.check(again.Equal == played.Equal && again.Different == 0, "without names: %+v", again)
}

type replayed struct {
	Calls, Changes, Equal, Different, ChangedChoices int
	NotCompared                                      map[string]int
	Complete                                         bool
}

// replay runs `winnow replay`, whose exit code must be 0.
func (t *T) replay(arguments ...string) (result replayed) {
	command := slices.Concat(t.options.winnow, []string{"replay", "-o", "json"}, arguments)
	run := exec.CommandContext(t.Ctx, command[0], command[1:]...)
	run.Stderr = os.Stderr
	start := time.Now()
	out, err := run.Output()
	t.must(json.Unmarshal(out, &result))
	t.check(err == nil && result.Complete, "winnow replay %v: %v: %s", arguments, err, out)
	t.note("winnow replay: %d changes and %d calls of %.1f MB in %.1f s: %d equal, %d different, not compared: %v",
		result.Changes, result.Calls, megabytes(arguments[0]), time.Since(start).Seconds(), result.Equal, result.Different, result.NotCompared)
	return result
}

func megabytes(folder string) float64 {
	bytes := int64(0)
	files, _ := os.ReadDir(folder)
	for _, file := range files {
		if info, err := file.Info(); err == nil {
			bytes += info.Size()
		}
	}
	return float64(bytes) / 1e6
}
