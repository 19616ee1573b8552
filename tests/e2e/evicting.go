package main

import (
	"os/exec"
	"slices"
	"strings"

	"winnow.test/e2e/evictions"
)

// evicting are the sides of `evictions`: rules of each kind in each way that they are for.
func (t *T) evicting() []side {
	classic := t.read(t.manifest("policy.yaml"))
	withAffinity := strings.Replace(classic, "\npredicates:\n", "\npredicates:\n- name: MatchInterPodAffinity\n", 1)
	all := []side{
		{"everything/policy", "everything", classic, nil},
		{"best/today", "best", today, nil},
		{"everything/policy+affinity", "everything", withAffinity, nil},
		{"everything/default", "everything", "", nil},
		{"everything/today", "everything", today, nil},
		{"best/default", "best", "", t.missingRulesAllowed()},
	}
	if t.options.short {
		return all[:2]
	}
	return all
}

// missingRulesAllowed is the flag without which winnow does not start with rules that lack what best needs, if it knows
// that flag.
func (t *T) missingRulesAllowed() []string {
	const flag = "--allow-missing-rules"
	command := slices.Concat(t.options.winnow, []string{"serve", "--help"})
	help, _ := exec.Command(command[0], command[1:]...).CombinedOutput()
	if !strings.Contains(string(help), flag) {
		return nil
	}
	return []string{flag}
}

// asked says whether the case is one for the side: where kube-scheduler's filters are off, classic rules are asked only
// about what they know to the full.
func asked(s side, one evictions.Case) bool {
	return s.way != "best" || s.rules != "" || promised(s, one)
}

// promised says whether the side evicts as in-tree does: with `best` only for what kube-scheduler's own filters keep
// out there.
func promised(s side, one evictions.Case) bool {
	return s.way != "best" || !slices.ContainsFunc(one.Needs, func(need string) bool {
		return need != evictions.CPU && need != evictions.Port
	})
}
