package main

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	dracel "k8s.io/dynamic-resource-allocation/cel"
	"winnow.test/oracle/common/celvalue"
)

func answerTo(asked, input *line) (*answer, error) {
	made := &answer{ID: asked.ID}
	env, err := environmentOf(asked)
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(asked.Expr)
	if issues != nil && issues.Err() != nil {
		first := celvalue.FirstOf(issues.Errors())
		made.At = fmt.Sprintf("%d:%d", first.Location.Line(), first.Location.Column()+1)
		made.Compile = first.Message
		return made, nil
	}
	made.Type = ast.OutputType().String()
	options := []cel.ProgramOption{cel.InterruptCheckFrequency(celconfig.CheckFrequency)}
	if asked.Limit > 0 {
		options = append(options, cel.CostLimit(asked.Limit))
	}
	program, err := env.Program(ast, options...)
	if err != nil {
		made.Program = err.Error()
		return made, nil
	}
	if input == nil {
		input = &line{}
	}
	variables, err := variablesOf(env, input)
	if err != nil {
		return nil, err
	}
	value, details, err := program.ContextEval(context.Background(), variables)
	if details != nil {
		made.Cost = details.ActualCost()
	}
	if err != nil {
		made.Error = err.Error()
		count(ast, nil)
	} else {
		count(ast, value)
		made.Value = celvalue.Written(value)
	}
	return made, agreesWithDRA(asked, input, value == types.True, err)
}

// agreesWithDRA asks the compiler of DRA, too, for a part of the cases: the variables that this program makes must be the
// ones that the scheduler's own call makes.
func agreesWithDRA(asked, input *line, matches bool, failure error) error {
	hash := fnv.New32a()
	hash.Write([]byte(asked.ID))
	if asked.Env != "dra" || input.Device == nil || asked.Limit > 0 || hash.Sum32()%16 != 0 {
		return nil
	}
	compiled := dracel.GetCompiler(everyFeature).CompileCELExpression(asked.Expr, dracel.Options{DisableCostEstimation: true})
	if compiled.Error != nil || compiled.OutputType.String() != "bool" {
		return nil
	}
	device, err := input.Device.forDRA()
	if err != nil {
		return err
	}
	alsoMatches, _, alsoFailure := compiled.DeviceMatches(context.Background(), *device)
	if alsoMatches != (matches && failure == nil) || (alsoFailure == nil) != (failure == nil) {
		return fmt.Errorf("DRA's own call says %v, %v; this program %v, %v: %s", alsoMatches, alsoFailure, matches, failure, asked.Expr)
	}
	return nil
}
