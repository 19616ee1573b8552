package churn

import (
	"os"
	"regexp"
	"strings"
	"time"
)

var line = regexp.MustCompile(`^time=(\S+) level=(warn|error) msg=("(?:[^"\\]|\\.)*"|\S+)`)

// Word is a warning or an error of Winnow's log.
type Word struct {
	At          time.Time
	Level, What string
	Line        string
}

// Words reads the log.
func Words(path string) (words []Word, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, said := range strings.Split(string(text), "\n") {
		if found := line.FindStringSubmatch(said); found != nil {
			at, err := time.Parse(time.RFC3339Nano, found[1])
			if err != nil {
				return nil, err
			}
			words = append(words, Word{at, found[2], strings.Trim(found[3], `"`), said})
		}
	}
	return words, nil
}
