package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	v1 "k8s.io/api/core/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"winnow.test/oracle/common/answer"
	"winnow.test/oracle/common/celvalue"
	"winnow.test/oracle/common/cluster"
)

// The most that one evaluation may cost, as in Winnow.
const mostCost = 1_000_000

// expressionCases are DIR/expressions.json: what is asked, and about which of the directory's pods.
type expressionCases struct {
	Now         [2]string        `json:"now"` // Seconds and nanoseconds.
	Params      map[string]any   `json:"params"`
	Pods        []string         `json:"pods"`
	Expressions []expressionCase `json:"expressions"`
}

type expressionCase struct {
	ID   string `json:"id"`
	Pod  bool   `json:"pod"` // Over the pod alone, as `when` is.
	Expr string `json:"expr"`
}

// expressionAnswer is a line of DIR/upstream-expressions.json, in the form that cel/README.md describes: what becomes of an
// expression, or of a pod and a node its value.
type expressionAnswer struct {
	ID      string  `json:"id"`
	Pod     string  `json:"pod,omitempty"`
	Node    string  `json:"node,omitempty"`
	Compile string  `json:"compile,omitempty"`
	At      string  `json:"at,omitempty"`
	Program string  `json:"program,omitempty"`
	Type    string  `json:"type,omitempty"`
	Value   any     `json:"value,omitempty"`
	Error   string  `json:"error,omitempty"`
	Cost    *uint64 `json:"cost,omitempty"`
	Panic   string  `json:"panic,omitempty"`
}

// expressionEnvironments are made once: with nodes, and of the pod alone.
var expressionEnvironments = map[bool]*cel.Env{}

func environmentFor(pod bool) (*cel.Env, error) {
	if env, ok := expressionEnvironments[pod]; ok {
		return env, nil
	}
	env, err := expressionEnvironment(!pod)
	expressionEnvironments[pod] = env
	return env, err
}

// evaluateAll answers DIR/expressions.json, and asks the plugins that fixed expressions imitate about the same pods.
func evaluateAll(dir answer.Directory, s *scheduler, pods []*v1.Pod) error {
	cases := expressionCases{}
	if err := readNumbers(filepath.Join(string(dir), "expressions.json"), &cases); err != nil {
		return err
	}
	raw, err := rawObjects(dir)
	if err != nil {
		return err
	}
	asked := map[string]*v1.Pod{}
	for _, pod := range pods {
		asked[cluster.NameOf(pod)] = pod
	}
	e := &evaluator{s: s, cases: cases, raw: raw, asked: asked}
	for i := range cases.Expressions {
		if err := e.askOrDie(&cases.Expressions[i]); err != nil {
			return err
		}
	}
	if err := writeLines(dir, "upstream-expressions.json", e.answers); err != nil {
		return err
	}
	var plugins []any
	for _, name := range cases.Pods {
		plugins = append(plugins, explainAs(s, asked[name], "filters"), explainAs(s, asked[name], "scores"))
	}
	return writeLines(dir, "upstream-plugins.json", plugins)
}

// explainAs asks the plugins of one profile, whatever the pod's own is.
func explainAs(s *scheduler, pod *v1.Pod, profile string) *answer.Explanation {
	pod = pod.DeepCopy()
	pod.Spec.SchedulerName = profile
	return explain(s, pod).Explanation
}

func writeLines[Line any](dir answer.Directory, name string, lines []Line) error {
	text := &bytes.Buffer{}
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(string(dir), name), text.Bytes(), 0o644)
}

func readNumbers(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// rawObjects are the nodes, their metrics and the pods of the directory as they are written, by kind, namespace and name.
func rawObjects(dir answer.Directory) (map[string]written, error) {
	made := map[string]written{}
	for _, path := range []string{dir.Cluster(), dir.Pods()} {
		err := answer.EachItem(path, func(kind, _ string, item []byte) error {
			decoder := json.NewDecoder(bytes.NewReader(item))
			decoder.UseNumber()
			object := written{}
			if err := decoder.Decode(&object); err != nil {
				return err
			}
			if metadata, ok := object.object("metadata"); ok && (kind == "Node" || kind == "Pod" || kind == "NodeMetrics") {
				namespace, _ := metadata["namespace"].(string)
				made[fmt.Sprintf("%s %s/%s", kind, namespace, metadata["name"])] = object
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// evaluator answers the expressions of one directory.
type evaluator struct {
	s       *scheduler
	cases   expressionCases
	raw     map[string]written
	asked   map[string]*v1.Pod
	answers []*expressionAnswer
}

// askOrDie tells what upstream's own checker dies of.
func (e *evaluator) askOrDie(asked *expressionCase) error {
	defer func() {
		if died := recover(); died != nil {
			e.answers = append(e.answers, &expressionAnswer{ID: asked.ID, Panic: fmt.Sprint(died)})
		}
	}()
	return e.ask(asked)
}

func (e *evaluator) ask(asked *expressionCase) error {
	env, err := environmentFor(asked.Pod)
	if err != nil {
		return err
	}
	ast, issues := env.Compile(asked.Expr)
	if issues != nil && issues.Err() != nil {
		first := celvalue.FirstOf(issues.Errors())
		at := fmt.Sprintf("%d:%d", first.Location.Line(), first.Location.Column()+1)
		e.answers = append(e.answers, &expressionAnswer{ID: asked.ID, Compile: first.Message, At: at})
		return nil
	}
	program, err := env.Program(ast, cel.InterruptCheckFrequency(celconfig.CheckFrequency), cel.CostLimit(mostCost))
	if err != nil {
		e.answers = append(e.answers, &expressionAnswer{ID: asked.ID, Program: err.Error(), Type: ast.OutputType().String()})
		return nil
	}
	for _, name := range e.cases.Pods {
		variables := e.variables(env, name)
		if asked.Pod {
			e.answers = append(e.answers, evaluate(program, ast, variables, expressionAnswer{ID: asked.ID, Pod: name}))
			continue
		}
		nodes := newCluster(env.CELTypeAdapter(), e.s.all)
		variables["cluster"] = nodes
		for _, node := range e.s.names {
			variables["node"] = nodes.node(e.raw["Node /"+node], e.raw["NodeMetrics /"+node], e.s.info(node), variables["now"].(time.Time))
			e.answers = append(e.answers, evaluate(program, ast, variables, expressionAnswer{ID: asked.ID, Pod: name, Node: node}))
		}
	}
	return nil
}

func (e *evaluator) variables(env *cel.Env, pod string) map[string]any {
	seconds, _ := strconv.ParseInt(e.cases.Now[0], 10, 64)
	nanos, _ := strconv.ParseInt(e.cases.Now[1], 10, 64)
	return map[string]any{
		"pod":    podVariable(e.raw["Pod "+pod], e.asked[pod]),
		"params": nativeParams(e.cases.Params),
		"now":    time.Unix(seconds, nanos).UTC(),
	}
}

func evaluate(program cel.Program, ast *cel.Ast, variables map[string]any, made expressionAnswer) (answered *expressionAnswer) {
	answered = &made
	defer func() {
		if died := recover(); died != nil {
			answered = &expressionAnswer{ID: made.ID, Pod: made.Pod, Node: made.Node, Panic: fmt.Sprint(died)}
		}
	}()
	made.Type = ast.OutputType().String()
	var value ref.Val
	value, details, err := program.ContextEval(context.Background(), variables)
	if details != nil {
		made.Cost = details.ActualCost()
	}
	if err != nil {
		made.Error = err.Error()
	} else {
		made.Value = celvalue.Written(value)
	}
	return answered
}
