package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// holdBed: a cluster for people who want to try commands on a real API server. It has some nodes and pods, one of which fits
// nowhere, and kube-scheduler with its default configuration. Nothing of Winnow is applied. It is there for a time, or
// until a file appears.
func holdBed(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(4, 2)))
	t.startScheduler(today, "")
	t.add(cluster.Pods("web", 6, cluster.Labelled("app", "web"), cluster.Requests("500m", "512Mi"))...)
	t.add(cluster.Pod("huge", cluster.Requests("64", "1Gi")))
	t.allBound(6, time.Minute)
	why := t.unscheduled("huge", 30*time.Second)
	t.check(strings.Contains(why, "Insufficient cpu"), "huge is to fit nowhere: %q", why)
	stop := filepath.Join(t.options.folder, "stop")
	end := time.Now().Add(t.options.hold)
	t.note("%s", t.reach(stop, end))
	cluster.Until(t.options.hold, func() bool {
		_, err := os.Stat(stop)
		return err == nil
	})
}

// reach says how to come to the bed.
func (t *T) reach(stop string, end time.Time) string {
	programs := t.commands()
	kubeconfig, err := t.Kubeconfig(bed.Admin, t.Balancer.URL)
	t.must(err)
	kubeconfig, err = filepath.Abs(kubeconfig)
	t.must(err)
	var servers []string
	for _, server := range t.Servers {
		servers = append(servers, server.URL)
	}
	environment := t.file("environment", fmt.Sprintf("export KUBECONFIG=%s PATH=%s:$PATH PS1='bed:\\w\\$ '\n", kubeconfig, programs))
	return fmt.Sprintf(`The bed is there until %s, or until there is a file %s.
While `+"`make bed`"+` runs, in another terminal:

    docker exec -it winnow-bed bash --rcfile %s

There kubectl, helm, winnow and kubectl winnow are in the PATH, and KUBECONFIG is an administrator's.
No kubelet and no controllers run: a pod is bound and never starts, and a Deployment makes no pods. Start Winnow
by hand, as in 'winnow serve --kubeconfig $KUBECONFIG'.

    kubeconfig                %s
    programs                  %s
    API servers               %s
    both, by a balancer       %s
    kube-scheduler            %s
    kube-scheduler's file     %s
    logs                      %s`, end.Format(time.TimeOnly+" MST"), stop, environment, kubeconfig, programs,
		strings.Join(servers, " "), t.Balancer.URL, t.Scheduler.URL, t.schedulerFile(), t.Folder())
}

// commands makes a folder that has what people call.
func (t *T) commands() string {
	folder, err := filepath.Abs(filepath.Join(t.options.folder, "commands"))
	t.must(err)
	t.must(os.MkdirAll(folder, 0o755))
	for name, target := range map[string]string{
		"kubectl": filepath.Join(t.options.binaries, "kubectl"), "helm": t.options.helm,
		"winnow": t.options.winnow[0], "kubectl-winnow": t.options.winnow[0],
		"kubectl_complete-winnow": filepath.Join(t.options.root, "tools/package/kubectl_complete-winnow"),
	} {
		whole, err := filepath.Abs(target)
		t.must(err)
		t.must(os.Symlink(whole, filepath.Join(folder, name)))
	}
	return folder
}
