package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

var everyFeature = dracel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true}

// The variables of the environment "pod".
var podVariables = []cel.EnvOption{
	cel.Variable("d", cel.DynType),
	cel.Variable("e", cel.DynType),
	cel.Variable("i", cel.IntType),
	cel.Variable("j", cel.IntType),
	cel.Variable("u", cel.UintType),
	cel.Variable("v", cel.UintType),
	cel.Variable("x", cel.DoubleType),
	cel.Variable("y", cel.DoubleType),
	cel.Variable("s", cel.StringType),
	cel.Variable("t", cel.StringType),
	cel.Variable("b", cel.BytesType),
	cel.Variable("p", cel.BoolType),
	cel.Variable("q", cel.BoolType),
	cel.Variable("li", cel.ListType(cel.IntType)),
	cel.Variable("ls", cel.ListType(cel.StringType)),
	cel.Variable("ld", cel.ListType(cel.DynType)),
	cel.Variable("mi", cel.MapType(cel.StringType, cel.IntType)),
	cel.Variable("ms", cel.MapType(cel.StringType, cel.StringType)),
	cel.Variable("md", cel.MapType(cel.StringType, cel.DynType)),
	cel.Variable("mn", cel.MapType(cel.IntType, cel.StringType)),
	cel.Variable("ts", cel.TimestampType),
	cel.Variable("tt", cel.TimestampType),
	cel.Variable("du", cel.DurationType),
	cel.Variable("dv", cel.DurationType),
}

var environments = map[string]*cel.Env{}

func environmentOf(asked *line) (*cel.Env, error) {
	if asked.Env == "spec" {
		return declaring(asked.Declare)
	}
	if env, ok := environments[asked.Env]; ok {
		return env, nil
	}
	env, err := makeEnvironment(asked.Env)
	if err == nil {
		environments[asked.Env] = env
		declare(env)
	}
	return env, err
}

// declaring is the base environment with these variables.
func declaring(variables map[string]string) (*cel.Env, error) {
	options := []cel.EnvOption{ext.Bindings(ext.BindingsVersion(0))}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		options = append(options, cel.Variable(name, typeOf(variables[name])))
	}
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv().Extend(options...)
}

var namedTypes = map[string]*cel.Type{
	"bool": cel.BoolType, "int": cel.IntType, "uint": cel.UintType, "double": cel.DoubleType, "string": cel.StringType, "bytes": cel.BytesType,
	"timestamp": cel.TimestampType, "duration": cel.DurationType, "null": cel.NullType, "dyn": cel.DynType,
}

func typeOf(text string) *cel.Type {
	if inner, ok := strings.CutPrefix(text, "list("); ok {
		return cel.ListType(typeOf(inner[:len(inner)-1]))
	}
	if inner, ok := strings.CutPrefix(text, "map("); ok {
		key, value, _ := strings.Cut(inner[:len(inner)-1], ",")
		return cel.MapType(typeOf(key), typeOf(value))
	}
	return namedTypes[text]
}

func makeEnvironment(name string) (*cel.Env, error) {
	dra := func(features dracel.Features, kind environment.Type) (*cel.Env, error) {
		compiled := dracel.GetCompiler(features).CompileCELExpression("true", dracel.Options{EnvType: &kind})
		if compiled.Error != nil {
			return nil, compiled.Error
		}
		return compiled.Environment, nil
	}
	switch name {
	case "dra": // What the scheduler compiles selectors in: every feature is known.
		return dra(everyFeature, environment.StoredExpressions)
	case "dra-any": // What an API server without these features checks a new selector in: an attribute is any.
		return dra(dracel.Features{}, environment.NewExpressions)
	case "pod":
		base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv()
		return base.Extend(podVariables...)
	}
	return nil, fmt.Errorf("unknown environment %q", name)
}

// A device, as a case gives it. A value is {"int": 5}, {"ints": [5]}, and so on.
type device struct {
	Driver                   string                    `json:"driver"`
	AllowMultipleAllocations *bool                     `json:"allowMultipleAllocations"`
	Attributes               map[string]map[string]any `json:"attributes"`
	Capacity                 map[string]string         `json:"capacity"`
}

func variablesOf(env *cel.Env, input *line) (map[string]any, error) {
	if input.Device != nil {
		return deviceVariables(env, input.Device)
	}
	variables := map[string]any{}
	for name, typed := range input.Vars {
		value, err := read(typed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		variables[name] = value
	}
	return variables, nil
}

// withDefault is a map that has a value for every key, as the maps of DRA's domains.
type withDefault struct {
	traits.Mapper
	value ref.Val
}

func (m withDefault) Find(key ref.Val) (ref.Val, bool) {
	if value, found := m.Mapper.Find(key); found {
		return value, true
	}
	return m.value, true
}

func deviceVariables(env *cel.Env, read *device) (map[string]any, error) {
	attributes, capacity := map[string]any{}, map[string]any{}
	put := func(into map[string]any, name string, value any) {
		domain, id, qualified := strings.Cut(name, "/")
		if !qualified {
			domain, id = read.Driver, name
		}
		if into[domain] == nil {
			into[domain] = map[string]any{}
		}
		into[domain].(map[string]any)[id] = value
	}
	for _, name := range slices.Sorted(maps.Keys(read.Attributes)) {
		value, err := attributeValue(read.Attributes[name])
		if err != nil {
			return nil, err
		}
		put(attributes, name, value)
	}
	for _, name := range slices.Sorted(maps.Keys(read.Capacity)) {
		quantity, err := resource.ParseQuantity(read.Capacity[name])
		if err != nil {
			return nil, err
		}
		put(capacity, name, apiservercel.Quantity{Quantity: &quantity})
	}
	adapter := env.CELTypeAdapter()
	byDomain := func(of map[string]any) any {
		return withDefault{types.NewStringInterfaceMap(adapter, of), adapter.NativeToValue(map[string]any{})}
	}
	return map[string]any{"device": map[string]any{
		"driver":                   read.Driver,
		"allowMultipleAllocations": read.AllowMultipleAllocations != nil && *read.AllowMultipleAllocations,
		"attributes":               byDomain(attributes),
		"capacity":                 byDomain(capacity),
	}}, nil
}

func attributeValue(typed map[string]any) (any, error) {
	attribute, err := forDRA(typed)
	if err != nil {
		return nil, err
	}
	version := func(text string) (apiservercel.Semver, error) {
		parsed, err := semver.Parse(text)
		return apiservercel.Semver{Version: parsed}, err
	}
	switch {
	case attribute.IntValue != nil:
		return *attribute.IntValue, nil
	case attribute.BoolValue != nil:
		return *attribute.BoolValue, nil
	case attribute.StringValue != nil:
		return *attribute.StringValue, nil
	case attribute.VersionValue != nil:
		return version(*attribute.VersionValue)
	case attribute.IntValues != nil:
		return attribute.IntValues, nil
	case attribute.BoolValues != nil:
		return attribute.BoolValues, nil
	case attribute.StringValues != nil:
		return attribute.StringValues, nil
	}
	versions := make([]apiservercel.Semver, len(attribute.VersionValues))
	for i, text := range attribute.VersionValues {
		if versions[i], err = version(text); err != nil {
			return nil, err
		}
	}
	return versions, nil
}

func (d *device) forDRA() (*dracel.Device, error) {
	made := &dracel.Device{
		Driver:                   d.Driver,
		AllowMultipleAllocations: d.AllowMultipleAllocations,
		Attributes:               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
		Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{},
	}
	for name, typed := range d.Attributes {
		attribute, err := forDRA(typed)
		if err != nil {
			return nil, err
		}
		made.Attributes[resourceapi.QualifiedName(name)] = *attribute
	}
	for name, text := range d.Capacity {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, err
		}
		made.Capacity[resourceapi.QualifiedName(name)] = resourceapi.DeviceCapacity{Value: quantity}
	}
	return made, nil
}
