package main

import (
	"strings"
	"time"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// exclusive: --answer=best leaves required affinity, hard spread and ReadWriteOncePod to Winnow alone. With rules that
// do not know them it does not start, and says which are missing, unless it is told that they may be.
func exclusive(t *T) {
	t.grant()
	rules := t.file("rules.yaml", t.read(t.manifest("policy.yaml")))
	t.refusesToStart([]string{"MatchInterPodAffinity", "EvenPodsSpread", "--allow-missing-rules"}, "--config", rules)
	t.refusesToStart([]string{"EvenPodsSpread", "--allow-missing-rules"}, "--config", "classic")
	t.runWinnow(bed.Winnow, 0, "--config", rules, "--answer", "best", "--allow-missing-rules")
	t.later(func() { t.Winnow.Stop() })
	t.must(t.Winnow.WaitReady())
	t.check(!t.Winnow.Ended(), "winnow has ended with --allow-missing-rules")
}

func (t *T) refusesToStart(says []string, flags ...string) {
	t.runWinnow(bed.Winnow, 0, append([]string{"--answer", "best"}, flags...)...)
	defer t.Winnow.Kill()
	if !t.check(cluster.Until(10*time.Second, t.Winnow.Ended), "winnow starts with %v", flags) {
		return
	}
	code := t.Winnow.Stop()
	t.check(code == 2, "winnow ends with %d", code)
	said := t.Winnow.Said()
	for _, word := range says {
		t.check(strings.Contains(said, word), "%s is not named with %v:\n%s", word, flags, said)
	}
}
