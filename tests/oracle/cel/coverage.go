package main

import (
	"encoding/json"
	"os"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
)

// How often an overload stood in an expression that was evaluated, and in one that had a value.
type reached struct {
	Evaluated int `json:"evaluated"`
	Valued    int `json:"valued"`
}

var overloads = map[string]*reached{}

// declare notes the overloads of an environment, so that those that nothing reaches are seen.
func declare(env *cel.Env) {
	for _, function := range env.Functions() {
		for _, overload := range function.OverloadDecls() {
			if overloads[overload.ID()] == nil {
				overloads[overload.ID()] = &reached{}
			}
		}
	}
}

// count notes the overloads of an expression.
func count(ast *cel.Ast, value ref.Val) {
	seen := map[string]bool{}
	for _, reference := range ast.NativeRep().ReferenceMap() {
		for _, id := range reference.OverloadIDs {
			if seen[id] || overloads[id] == nil {
				continue
			}
			seen[id] = true
			overloads[id].Evaluated++
			if value != nil {
				overloads[id].Valued++
			}
		}
	}
}

func writeCoverage(path string) error {
	text, err := json.Marshal(overloads)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
