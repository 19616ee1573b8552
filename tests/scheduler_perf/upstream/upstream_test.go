// Package upstream runs upstream's benchmark of kube-scheduler, test/integration/scheduler_perf, as it is, with Winnow
// beside it: by the Setup that the environment names. The API server and kube-scheduler are in this process, etcd and
// Winnow are children.
package upstream

import (
	"fmt"
	"os"
	"testing"

	_ "k8s.io/component-base/logs/json/register"
	perf "k8s.io/kubernetes/test/integration/scheduler_perf"
	"k8s.io/kubernetes/test/utils/client-go/ktesting"
	"winnow.test/scheduler_perf/setup"
)

func TestMain(m *testing.M) {
	if err := perf.InitTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
}

func BenchmarkPerfScheduling(b *testing.B) {
	var s setup.Setup
	if err := setup.Read(os.Getenv(setup.Variable), &s); err != nil {
		b.Fatal(err)
	}
	// Called when API server and kube-scheduler run, and nothing has been made yet.
	beside := func(tCtx ktesting.TContext) error {
		winnow, err := startWinnow(tCtx, s)
		if err != nil {
			return err
		}
		watch := startWatch(s, winnow)
		tCtx.TB().Cleanup(func() {
			result := watch.stop()
			winnow.stop(&result)
			if err := setup.Write(s.Result, result); err != nil {
				b.Error(err)
			}
		})
		return nil
	}
	perf.RunBenchmarkPerfScheduling(b, s.Cases, "winnow", nil, perf.WithPrepareFn(beside))
}
