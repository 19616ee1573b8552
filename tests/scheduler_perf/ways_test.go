package main

import (
	"os"
	"strings"
	"testing"
)

func TestEachConfigurationTakesAnotherPort(t *testing.T) {
	for _, way := range ways {
		if way.configuration == "" {
			continue
		}
		text, err := os.ReadFile("../../manifests/" + way.configuration)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := atPort(string(text), 4711)
		if err != nil || !strings.Contains(moved, "urlPrefix: http://127.0.0.1:4711") {
			t.Errorf("%s: %v", way.configuration, err)
		}
	}
	if _, err := atPort("extenders: []\n", 4711); err == nil {
		t.Error("a configuration without an extender was taken")
	}
}

func TestWaysAreInTreeAndThoseNamed(t *testing.T) {
	for _, row := range []struct {
		names string
		want  string
	}{
		{"in-tree", "in-tree"},
		{"best", "in-tree best"},
		{"best,in-tree,nominate", "in-tree best nominate"},
		{"bets", ""},
	} {
		chosen, err := waysOf(row.names)
		var names []string
		for _, w := range chosen {
			names = append(names, w.name)
		}
		if got := strings.Join(names, " "); got != row.want || (err != nil) != (row.want == "") {
			t.Errorf("%s: %s, %v", row.names, got, err)
		}
	}
}
