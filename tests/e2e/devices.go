package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	api "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/devices"
	"winnow.test/e2e/measure"
)

const (
	devicesStuck = 2 * time.Minute // A pod of the batch that is not bound by then waits for ever.

	// devicesFollowed is the least share of the nominations of such pods that kube-scheduler must have followed.
	devicesFollowed = 0.95

	// released are the pods that wait for the devices of others.
	released = "released"
)

// deviceResult is what the pods of a form came to on one side.
type deviceResult struct{ measure.Waits }

// claimedDevices: 500 pods ask for devices in all forms, nearly at once, and there are just enough. kube-scheduler allocates
// in each way. No device is given twice, each pod that in-tree places is placed, and so are those that wait for devices
// until other pods are gone.
func claimedDevices(t *T) {
	condition, name := t.under(), t.way
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(devices.Nodes, 3)))
	t.must(devices.Publish(t.Ctx, t.Cluster, devices.Forms()))
	player := devices.Play(t.Ctx, t.Cluster)
	t.later(func() {
		if err := player.Stop(); err != nil {
			t.fail("%d claims or pods could not be written, the last: %v", player.Failed.Load(), err)
		}
	})
	t.lagging(condition.lag)
	sides := t.sides(side{"best", "best", today, nil}, side{"everything", "everything", today, nil},
		side{"nominate", "nominate", today, nil}, side{gatedWay, gatedWay, today, nil})
	t.some("sides", len(sides))
	var found results[deviceResult]
	for _, s := range sides {
		t.within(func() {
			t.startSide(s)
			t.placeClaims(s, &found)
		})
		t.clearPods(allPods)
		t.must(t.claimsAreGone())
	}
	t.judgeDevices(name, sides, &found)
}

// placeClaims makes all pods, waits for those that there are devices for, and then has others go for the rest.
func (t *T) placeClaims(s side, found *results[deviceResult]) {
	t.turn++
	forms, prefix := devices.Forms(), fmt.Sprintf("try-%d", t.turn)
	t.must(devices.ShareClaims(t.Ctx, t.Cluster, forms))
	pods := t.gatedPods(devices.Pods(forms, prefix))
	spare := 0
	for _, form := range forms {
		spare += form.Spare
	}
	begin := time.Now()
	t.add(pods...)
	cluster.Until(devicesStuck, func() bool { return t.Watch.Bound() >= len(pods)-spare })
	t.note("%s: %d of %d pods are bound after %.1f s, %d must wait; attempts: %s", s.name, t.Watch.Bound(), len(pods),
		time.Since(begin).Seconds(), spare, t.attemptsByResult())
	t.promisesOfDevices(s.name)
	waits := &deviceResult{}
	for _, form := range forms {
		if form.Spare > 0 {
			t.releases(form, prefix, waits)
		}
		found.put(form.Name, s, t.waitsOf(form, prefix))
	}
	found.put(released, s, waits)
	t.promisesOfDevices(s.name)
	if ways[s.way].nominates() {
		t.nominationsOf(forms, prefix)
		t.devicesFollowed(s.name, s.way == gatedWay)
	}
}

// nominationsOf tells by form how many pods are where their first nomination put them, be it Winnow's or kube-scheduler's:
// that writes one itself before it allocates, where the pod has none for that node.
func (t *T) nominationsOf(forms []devices.Form, prefix string) {
	told := ""
	for _, form := range forms {
		nominated, there := 0, 0
		for i := range form.Pods {
			pod := form.Pod(prefix, i).Name
			history := t.Watch.History(pod)
			if first := firstNode(history, "nominated for "); first != "" {
				nominated++
				if firstNode(history, "bound to ") == first {
					there++
				} else if nominated-there == 1 {
					t.note("%s: %s went elsewhere: %s", t.way, pod, t.tells(pod, history[0].At.Add(-time.Second)))
				}
			}
		}
		told += fmt.Sprintf(" %s %d of %d;", form.Name, there, nominated)
	}
	t.note("%s: on the node that was nominated first:%s", t.way, told)
}

// firstNode is of the first step that begins so and names one.
func firstNode(history []cluster.Step, begins string) string {
	for _, step := range history {
		if node, is := strings.CutPrefix(step.What, begins); is && node != "" {
			return node
		}
	}
	return ""
}

// releases deletes as many bound pods of the form as wait, and times these from then on.
func (t *T) releases(form devices.Form, prefix string, result *deviceResult) {
	var bound, wait []string
	for i := range form.Pods {
		if pod := form.Pod(prefix, i).Name; t.Watch.NodeOf(pod) != "" {
			bound = append(bound, pod)
		} else {
			wait = append(wait, pod)
		}
	}
	if !t.check(len(wait) == form.Spare, "%s: %d pods of %s wait, there are devices for all but %d", t.way, len(wait), form.Name, form.Spare) {
		return
	}
	for _, pod := range wait {
		t.check(t.unscheduled(pod, 10*time.Second) != "", "%s: %s waits, and kube-scheduler has not refused it: %s", t.way, pod, t.history(pod))
	}
	begin := time.Now()
	for _, pod := range bound[:min(form.Spare, len(bound))] {
		t.remove(pod)
	}
	for _, pod := range wait {
		node := t.bound(pod, devicesStuck/2)
		if node == "" {
			t.note("%s: %s waits for devices that were released: %s", t.way, pod, t.tells(pod, begin))
		}
		result.Add(t.Watch.BoundAt(pod).Sub(begin), node != "")
	}
}

// waitsOf is how long the form's pods have waited for their first node, without those that had to wait.
func (t *T) waitsOf(form devices.Form, prefix string) *deviceResult {
	result := &deviceResult{}
	told := false
	for i := range form.Pods {
		pod := form.Pod(prefix, i).Name
		history, bound := t.Watch.History(pod), t.Watch.BoundAt(pod)
		if bound.IsZero() && !told {
			told = true
			t.note("%s: %s is not bound: %s", t.way, pod, t.history(pod))
		}
		result.Add(bound.Sub(history[0].At), !bound.IsZero())
	}
	if form.Spare > 0 { // They have their own row.
		result.Times = shortest(result.Times, form.Pods-form.Spare)
	}
	return result
}

// promisesOfDevices holds the claims against the devices, as the API has both.
func (t *T) promisesOfDevices(where string) {
	client := t.Client.ResourceV1()
	published, err := client.ResourceSlices().List(t.Ctx, meta.ListOptions{})
	t.must(err)
	claims, err := client.ResourceClaims(cluster.Namespace).List(t.Ctx, meta.ListOptions{})
	t.must(err)
	pods, err := t.Client.CoreV1().Pods(cluster.Namespace).List(t.Ctx, meta.ListOptions{})
	t.must(err)
	broken := devices.Broken(pointers(published.Items), pointers(claims.Items), pointers(pods.Items))
	t.check(len(broken) == 0, "%s: %d promises are broken, the first: %q", where, len(broken), broken[:min(3, len(broken))])
}

func pointers[V api.ResourceSlice | api.ResourceClaim | v1.Pod](values []V) (of []*V) {
	for i := range values {
		of = append(of, &values[i])
	}
	return of
}

// claimsAreGone clears those that pods share, and waits for all.
func (t *T) claimsAreGone() error {
	left := -1
	gone := cluster.Until(20*time.Second, func() bool {
		t.must(t.ClearClaims(t.Ctx))
		list, err := t.Client.ResourceV1().ResourceClaims(cluster.Namespace).List(t.Ctx, meta.ListOptions{})
		if err == nil {
			left = len(list.Items)
		}
		return left == 0
	})
	if !gone {
		return fmt.Errorf("%d claims are still there 20 s after their pods are gone", left)
	}
	return nil
}

// devicesFollowed: nearly all nominations of pods with claims end with a pod on the nominated node, if a gate keeps
// kube-scheduler waiting for them.
func (t *T) devicesFollowed(where string, gated bool) {
	var told string
	all, err := bed.Metric(t.Winnow.URL, "winnow_nominations_total")
	t.must(err)
	followed := t.metric("winnow_nominations_total", `outcome="followed"`)
	for _, outcome := range []string{"elsewhere", "refused", "unfollowed", "cleared", "overruled", "pod_changed", "pod_gone", "no_longer_fits", "rejected", "left_out"} {
		if count := t.metric("winnow_nominations_total", `outcome="`+outcome+`"`); count > 0 {
			told += fmt.Sprintf(", %v %s", count, outcome)
		}
	}
	t.note("%s: %v of %v nominations were followed (%.1f %%)%s", where, followed, all, 100*followed/max(1, all), told)
	// Without a gate kube-scheduler decides at the same time, and does not wait for a nomination.
	t.check(all > 0 && (!gated || followed >= devicesFollowed*all), "%s: %v of %v nominations were followed%s", where, followed, all, told)
}

// attemptsByResult are kube-scheduler's since it started.
func (t *T) attemptsByResult() (told string) {
	for _, result := range []string{"scheduled", "unschedulable", "error"} {
		count, err := bed.Metric(t.Scheduler.URL, "scheduler_schedule_attempts_total", `result="`+result+`"`)
		t.must(err)
		told += fmt.Sprintf("%v %s ", count, result)
	}
	return told
}

// judgeDevices checks that nobody waits whom in-tree places, and prints the table.
func (t *T) judgeDevices(condition string, sides []side, found *results[deviceResult]) {
	fmt.Println(measure.Head([]string{"condition", "asks for devices", "way"},
		[]string{"pods", "stuck", "median s", "max s", "in-tree: stuck", "median s", "max s"}))
	kinds := []string{}
	for _, form := range devices.Forms() {
		kinds = append(kinds, form.Name)
	}
	for _, kind := range append(kinds, released) {
		found.each(kind, sides, func(s side, mine, inTree *deviceResult) {
			cells := append([]string{condition, kind, s.name, fmt.Sprint(mine.Tries())}, mine.Cells()...)
			fmt.Println(measure.Row(append(cells, inTree.cells()...)...))
			where := fmt.Sprintf("%s, %s, %s", condition, kind, s.name)
			t.check(mine.Stuck == 0, "%s: %d of %d pods are not bound", where, mine.Stuck, mine.Tries())
			if inTree != nil && kind == released {
				t.check(mine.Max() <= inTree.Max()+longerThanInTree, "%s: a pod waits %v, in-tree's %v at most", where, mine.Max(), inTree.Max())
			}
		})
	}
	for _, kind := range kinds {
		if inTree := found.of[kind+"/"+inTreeSide.name]; inTree != nil {
			t.check(inTree.Stuck == 0, "%s: in-tree itself leaves %d pods", kind, inTree.Stuck)
		}
	}
}

func (r *deviceResult) cells() []string {
	if r == nil {
		return make([]string, 3)
	}
	return r.Cells()
}

// shortest are the count shortest of the times.
func shortest(times []time.Duration, count int) []time.Duration {
	return slices.Sorted(slices.Values(times))[:min(count, len(times))]
}
