package churn

import (
	"testing"
	"time"
)

func TestStarvedForMostOfTheTime(t *testing.T) {
	const second = time.Second
	rows := []struct {
		what      string
		ran, want time.Duration // Of each second.
		seconds   int           // Of the ten before now.
		starved   bool
	}{
		{"ran as it wanted", second, second, 10, false},
		{"a third of what it wanted, for all of the time", second / 3, second, 10, false},
		{"a fifth, for all of the time", second / 5, second, 10, true},
		{"a fifth, for six seconds of ten", second / 5, second, 6, true},
		{"a fifth, for half of the time", second / 5, second, 5, false},
		{"a fifth of next to nothing", 20 * time.Millisecond, 100 * time.Millisecond, 10, false},
	}
	for _, row := range rows {
		now, s := time.Now(), &Starved{}
		for i := range row.seconds {
			s.note(share{now.Add(-time.Duration(i)*second - second/2), "etcd", row.ran, row.want})
		}
		if found := s.Most(now.Add(-10*second), now); found != row.starved {
			t.Errorf("%s: starved %v, expected %v", row.what, found, row.starved)
		}
	}
}

func TestDemandOfThisProcess(t *testing.T) {
	ran, want := demand(1)
	if want < ran {
		t.Errorf("a process has run %v, and wanted %v", ran, want)
	}
}
