package answer

import (
	"encoding/json"
	"os"
)

// Checked is what upstream says of one configuration file.
type Checked struct {
	File     string            `json:"file"`
	Accepted bool              `json:"accepted"`
	Stage    string            `json:"stage,omitempty"` // load, validate or new.
	Error    string            `json:"error,omitempty"`
	Profiles []*CheckedProfile `json:"profiles,omitempty"`
}

// CheckedProfile has the plugins in the order in which upstream runs them, also those that Winnow has not. Arguments are with
// all defaults, where the program prints them.
type CheckedProfile struct {
	Name      string                 `json:"name"`
	PreFilter []string               `json:"preFilter"`
	Filter    []string               `json:"filter"`
	PreScore  []string               `json:"preScore"`
	Score     []Weighted             `json:"score"`
	Arguments map[string]interface{} `json:"args,omitempty"`
}

// Weighted is a score plugin.
type Weighted struct {
	Name   string `json:"name"`
	Weight int32  `json:"weight"`
}

// Refused is of a file that upstream does not take.
func Refused(file, stage string, err error) Checked {
	return Checked{File: file, Stage: stage, Error: err.Error()}
}

// CheckAll prints a line for each file.
func CheckAll(files []string, check func(file string) Checked) error {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, file := range files {
		if err := out.Encode(check(file)); err != nil {
			return err
		}
	}
	return nil
}
