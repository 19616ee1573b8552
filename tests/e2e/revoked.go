package main

import (
	"slices"
	"strings"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// revoked: the API servers no longer take Winnow's token. Every place where an operator may look says so: the pod's
// event, /readyz and /metrics. With the token taken again all goes on.
func revoked(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(3, 3)))
	t.start(today)
	t.add(cluster.Pod("before"))
	t.check(t.bound("before", 10*time.Second) != "", "a pod is not bound: %s", t.history("before"))
	t.later(func() { t.takeTokens() })
	t.takeTokens(bed.Winnow)
	t.add(cluster.Pod("meanwhile"))
	t.eventSays("meanwhile", "winnow: bind: the API server refuses Winnow's credentials: 401")
	t.check(cluster.Until(20*time.Second, func() bool {
		code, why, err := bed.Get(t.Winnow.URL + "/readyz")
		return err == nil && code == 503 && strings.Contains(why, "the API server refuses Winnow's credentials (401)")
	}), "/readyz does not say that the token is refused")
	t.check(t.Winnow.Live(), "winnow is not live with a token that is refused")
	for _, series := range [][]string{{"winnow_binds_total", `result="denied"`}, {"winnow_apiserver_denied_total", `code="401"`}} {
		count, err := bed.Metric(t.Winnow.URL, series[0], series[1])
		t.check(err == nil && count > 0, "%v is %v (%v)", series, count, err)
	}
	t.takeTokens()
	t.check(cluster.Until(60*time.Second, t.Winnow.Ready), "winnow is not ready 60 s after its token is taken again")
	t.check(t.bound("meanwhile", 30*time.Second) != "", "a pod is not bound after that: %s", t.history("meanwhile"))
}

// takeTokens has the API servers take everybody's token but those, one server after the other.
func (t *T) takeTokens(not ...string) {
	t.must(t.WriteTokens(not...))
	for _, server := range t.Servers {
		server.Kill()
		t.must(server.Start())
	}
}

// eventSays: some event of the pod has the text.
func (t *T) eventSays(pod, text string) {
	var messages []string
	said := cluster.Until(20*time.Second, func() bool {
		messages = t.events(pod, "FailedScheduling")
		return slices.ContainsFunc(messages, func(message string) bool { return strings.Contains(message, text) })
	})
	t.check(said, "no event of %s has %q: %q", pod, text, messages)
}
