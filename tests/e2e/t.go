package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// T is one scenario's run: the bed, a cluster that is empty at the start, what was started, and what was found.
type T struct {
	*bed.Bed
	*cluster.Cluster
	Ctx       context.Context
	Watch     *cluster.Watch
	Winnow    *bed.WinnowProcess
	Scheduler *bed.KubeScheduler

	options     options
	way         string
	winnowFlags []string // What it was started with.
	checks      int
	failed      bool
	cleanup     []func()
	turn        int // Numbers pods of tries.
}

// abort ends a scenario that cannot go on.
type abort struct{ error }

func (t *T) do(run func(*T)) {
	defer func() {
		if stopped := recover(); stopped != nil {
			reason, ours := stopped.(abort)
			if !ours {
				panic(stopped)
			}
			t.fail("cannot go on: %v", reason.error)
		}
		t.end()
	}()
	t.must(t.Clear(t.Ctx))
	t.must(t.AddPriorityClasses(t.Ctx, map[string]int32{"high": 1000, "mid": 100, "low": -5}))
	t.Watch = t.Follow(t.Ctx)
	t.later(t.Watch.Stop)
	run(t)
}

// end undoes in reverse what was begun.
func (t *T) end() {
	t.undo(0)
	if t.failed && t.Winnow != nil {
		fmt.Printf("    the end of winnow's log:\n%s\n", indent(t.Winnow.Tail(15)))
	}
	if err := t.Clear(t.Ctx); err != nil {
		t.fail("%v", err)
	}
}

// undo what was begun since there were so many things to undo.
func (t *T) undo(since int) {
	for i := len(t.cleanup) - 1; i >= since; i-- {
		t.cleanup[i]()
	}
	t.cleanup = t.cleanup[:since]
}

// within undoes at its end what was begun in it.
func (t *T) within(run func()) {
	defer t.undo(len(t.cleanup))
	run()
}

func (t *T) later(undo func()) { t.cleanup = append(t.cleanup, undo) }

// must ends the scenario on an error.
func (t *T) must(err error) {
	if err != nil {
		panic(abort{err})
	}
}

// check counts, and says what was seen where it does not hold.
func (t *T) check(holds bool, format string, args ...any) bool {
	t.checks++
	if !holds {
		t.fail(format, args...)
	}
	return holds
}

func (t *T) fail(format string, args ...any) {
	t.failed = true
	fmt.Println(indent("FAILED: " + fmt.Sprintf(format, args...)))
}

func (t *T) note(format string, args ...any) { fmt.Println(indent(fmt.Sprintf(format, args...))) }

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

// add creates pods.
func (t *T) add(pods ...*v1.Pod) { t.must(t.AddPods(t.Ctx, pods)) }

// remove deletes a pod.
func (t *T) remove(pod string) {
	t.must(t.Client.CoreV1().Pods(cluster.Namespace).Delete(t.Ctx, pod, meta.DeleteOptions{}))
}

// bound waits until the pod has a node and gives it, "" if it has none after the limit.
func (t *T) bound(pod string, limit time.Duration) string {
	cluster.Until(limit, func() bool { return t.Watch.NodeOf(pod) != "" })
	return t.Watch.NodeOf(pod)
}

// allBound waits until so many pods have a node.
func (t *T) allBound(count int, limit time.Duration) bool {
	cluster.Until(limit, func() bool { return t.Watch.Bound() >= count })
	return t.check(t.Watch.Bound() == count,
		"%d pods should be bound, %d are after %v; %s", count, t.Watch.Bound(), limit, t.whyPending())
}

// whyPending is the condition of the first pod without a node.
func (t *T) whyPending() string {
	for _, pod := range t.Watch.All() {
		if pod.Spec.NodeName == "" {
			if condition := cluster.Unscheduled(pod); condition != nil {
				return fmt.Sprintf("%s: %s: %s", pod.Name, condition.Reason, condition.Message)
			}
			return pod.Name + " has not been tried"
		}
	}
	return "no pod is pending"
}

// unscheduled waits until the pod's condition says why it has no node, and gives the message.
func (t *T) unscheduled(pod string, limit time.Duration) string {
	message := ""
	cluster.Until(limit, func() bool {
		found, err := t.Client.CoreV1().Pods(cluster.Namespace).Get(t.Ctx, pod, meta.GetOptions{})
		if err != nil || cluster.Unscheduled(found) == nil {
			return false
		}
		message = cluster.Unscheduled(found).Message
		return message != ""
	})
	return message
}

// events are the messages of the pod's events of a reason. Events are written late: it waits for the first.
func (t *T) events(pod, reason string) (messages []string) {
	cluster.Until(5*time.Second, func() bool {
		messages = nil
		ofPod := meta.ListOptions{FieldSelector: "involvedObject.name=" + pod}
		list, err := t.Client.CoreV1().Events(cluster.Namespace).List(t.Ctx, ofPod)
		if err != nil {
			return false
		}
		for _, event := range list.Items {
			if event.Reason == reason && event.InvolvedObject.UID == t.uid(pod) {
				messages = append(messages, event.Message)
			}
		}
		return len(messages) > 0
	})
	return messages
}

// uid tells a pod from those of the same name in other scenarios.
func (t *T) uid(pod string) types.UID {
	found, err := t.Watch.Pods.Pods(cluster.Namespace).Get(pod)
	if err != nil {
		return ""
	}
	return found.UID
}

// history is what has become of the pod, in one line.
func (t *T) history(pod string) string {
	var steps []string
	for _, step := range t.Watch.History(pod) {
		steps = append(steps, step.What)
	}
	return strings.Join(steps, "; ")
}

// runCommand runs a command of Winnow to its end.
func (t *T) runCommand(arguments ...string) (out, errors string, exit int) {
	command := slices.Concat(t.options.winnow, arguments)
	run := exec.CommandContext(t.Ctx, command[0], command[1:]...)
	said, failed := &strings.Builder{}, &strings.Builder{}
	run.Stdout, run.Stderr = said, failed
	if err := run.Run(); err != nil {
		ended, is := err.(*exec.ExitError)
		if !is {
			t.must(err)
		}
		exit = ended.ExitCode()
	}
	return said.String(), failed.String(), exit
}

// file writes a file of the run.
func (t *T) file(name, text string) string {
	path := filepath.Join(t.options.folder, name)
	t.must(os.WriteFile(path, []byte(text), 0o644))
	return path
}

func (t *T) manifest(name string) string { return filepath.Join(t.options.root, "manifests", name) }
