package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"winnow.test/e2e/evictions"
	"winnow.test/e2e/measure"
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
		{"best-1.38/today", "best-1.38", today, nil},
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

// promised says whether the side evicts as in-tree does: with `best` and up to v1.37 only for what kube-scheduler's own
// filters keep out there.
func promised(s side, one evictions.Case) bool {
	return s.way != "best" || !slices.ContainsFunc(one.Needs, func(need string) bool {
		return need != evictions.CPU && need != evictions.Port
	})
}

// Where nobody is promised to go, pods stay pending: fewer tries, and just long enough to see that nobody goes.
func (t *T) triesOf(s side, one evictions.Case) int {
	if promised(s, one) {
		return t.options.tries
	}
	return (t.options.tries + 4) / 5
}

func patience(s side, one evictions.Case) time.Duration {
	if promised(s, one) {
		return stuckAfter
	}
	return 2 * time.Second
}

// judgeVictims checks the promises, and prints the table.
func (t *T) judgeVictims(condition string, cases []evictions.Case, sides []side, found *results[measure.Evictions]) {
	fmt.Println(measure.Head([]string{"condition", "kept out by", "way/rules"},
		slices.Concat([]string{"tries"}, measure.Columns, []string{"in-tree: " + measure.Columns[0]}, measure.Columns[1:])))
	for _, one := range cases {
		found.each(one.Name, sides, func(s side, mine, inTree *measure.Evictions) {
			cells := append([]string{condition, one.Name, s.name, fmt.Sprint(mine.Tries())}, mine.Cells()...)
			fmt.Println(measure.Row(append(cells, inTree.Cells()...)...))
			t.noneInVain(fmt.Sprintf("%s, %s, %s", condition, one.Name, s.name), promised(s, one), mine, inTree)
		})
	}
}

func (t *T) noneInVain(where string, promised bool, mine, inTree *measure.Evictions) {
	t.check(mine.InVain == 0, "%s: in %d of %d tries pods were evicted, and the pod has no node", where, mine.InVain, mine.Tries())
	t.check(mine.Wrong == 0, "%s: in %d of %d tries the wrong pod was evicted", where, mine.Wrong, mine.Tries())
	if inTree == nil {
		return
	}
	most := measure.Max(inTree.Victims)
	t.check(measure.Max(mine.Victims) <= most, "%s: %d victims, in-tree has %d", where, measure.Max(mine.Victims), most)
	if promised {
		t.check(mine.Pending() <= inTree.Pending(), "%s: %d of %d pods stay pending, in-tree %d of %d", where,
			mine.Pending(), mine.Tries(), inTree.Pending(), inTree.Tries())
	}
}
