// Evaluates CEL expressions by cel-go, in Kubernetes' environments. README.md has the form of cases and answers.
// Usage: cel [-repeat N] [-coverage FILE] < CASES > ANSWERS
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

// A line of the input: an input with a name, or a case.
type line struct {
	Input  string         `json:"input"`
	Vars   map[string]any `json:"vars"`
	Device *device        `json:"device"`
	ID     string         `json:"id"`
	Env    string         `json:"env"`
	Expr   string         `json:"expr"`
	With   string         `json:"with"`
	Limit  uint64         `json:"limit"`
	// The variables of the environment "spec", by name: "int", "list(string)", "map(string,dyn)".
	Declare map[string]string `json:"declare"`
}

// An answer to a case.
type answer struct {
	ID      string  `json:"id"`
	Compile string  `json:"compile,omitempty"` // Why it does not compile, with the position.
	At      string  `json:"at,omitempty"`      // The position, line:column.
	Program string  `json:"program,omitempty"` // Why there is no program.
	Type    string  `json:"type,omitempty"`
	Value   any     `json:"value,omitempty"`
	Error   string  `json:"error,omitempty"`
	Cost    *uint64 `json:"cost,omitempty"`
	Panic   string  `json:"panic,omitempty"` // What upstream's own code died of.
}

func main() {
	repeat := flag.Int("repeat", 1, "evaluate each case so often: maps have no order")
	coverage := flag.String("coverage", "", "write there how often each overload was reached")
	flag.Parse()
	err := run(*repeat)
	if err == nil && *coverage != "" {
		err = writeCoverage(*coverage)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cel:", err)
		os.Exit(2)
	}
}

func run(repeat int) error {
	inputs := map[string]*line{}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for decoder.More() {
		read := &line{}
		if err := decoder.Decode(read); err != nil {
			return err
		}
		if read.Input != "" {
			inputs[read.Input] = read
			continue
		}
		for range repeat {
			answered, err := recovered(read, inputs[read.With])
			if err != nil {
				return fmt.Errorf("%s: %w", read.ID, err)
			}
			if err := encoder.Encode(answered); err != nil {
				return err
			}
		}
	}
	return nil
}

func recovered(asked, input *line) (made *answer, err error) {
	defer func() {
		if died := recover(); died != nil {
			made, err = &answer{ID: asked.ID, Panic: fmt.Sprint(died)}, nil
		}
	}()
	return answerTo(asked, input)
}
