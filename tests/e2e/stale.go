package main

import (
	"strings"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// stale: all API servers are gone. Winnow serves for as long as --max-staleness says, then it is not ready and filter
// answers an Error that says why; it stays live, and is ready again when they are back.
func stale(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(3, 3)))
	t.start(today, "--max-staleness", "5s")
	question := `{"Pod":` + probe() + `,"Nodes":null,"NodeNames":["node-0000","node-0001","node-0002"]}`
	_, answer, err := bed.Post(t.Winnow.URL+"/filter", question)
	t.check(err == nil && strings.Contains(answer, `"Error":""`), "filter answers %s %v", answer, err)
	for _, server := range t.Servers {
		server.Kill()
	}
	t.check(cluster.Until(30*time.Second, func() bool { return !t.Winnow.Ready() }),
		"winnow is still ready 30 s after the API servers went")
	t.check(t.Winnow.Live(), "winnow is not live without API servers")
	code, answer, err := bed.Post(t.Winnow.URL+"/filter", question)
	t.check(err == nil && code == 200 && !strings.Contains(answer, `"Error":""`),
		"filter on a stale picture answers %d %s %v", code, answer, err)
	t.note("filter says %.200s", answer)
	for _, server := range t.Servers {
		t.must(server.Start())
	}
	t.check(cluster.Until(60*time.Second, t.Winnow.Ready), "winnow is not ready 60 s after the API servers are back")
	t.add(cluster.Pod("after"))
	t.check(t.bound("after", 30*time.Second) != "", "a pod is not bound after that: %s", t.history("after"))
}
