package main

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apiserver/pkg/cel/environment"
)

// What the functions of expressions are asked of. Each is the map of an object besides.
type countsPods interface {
	podsMatching(labels map[string]string, namespaces []string) int64
}
type hasDomains interface {
	domain(key string) ref.Val
}
type countsDomains interface {
	domains(key string) int64
}

// expressionEnvironment is Kubernetes' environment with the variables of users' expressions: those that docs/your-rules.md lists.
func expressionEnvironment(withNodes bool) (*cel.Env, error) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv()
	objects := objectTypes{}
	addTypes(objects, withNodes)
	options := []cel.EnvOption{
		ext.Bindings(ext.BindingsVersion(0)),
		cel.CustomTypeProvider(provider{base.CELTypeProvider(), objects}),
		cel.Variable("pod", types.NewObjectType("Pod")),
		cel.Variable("params", types.NewMapType(types.StringType, types.DynType)),
		cel.Variable("now", types.TimestampType),
	}
	if withNodes {
		options = append(options, cel.Variable("node", types.NewObjectType("Node")), cel.Variable("cluster", types.NewObjectType("Cluster")))
		options = append(options, expressionFunctions()...)
	}
	return base.Extend(options...)
}

// expressionFunctions have no guards of types: an object of these is a map.
func expressionFunctions() []cel.EnvOption {
	unguarded := decls.DisableTypeGuards(true)
	labels, names := types.NewMapType(types.StringType, types.StringType), types.NewListType(types.StringType)
	matching := cel.FunctionBinding(func(given ...ref.Val) ref.Val {
		of, isCounter := given[0].(countsPods)
		labels, areLabels := stringMap(given[1])
		namespaces, areNames := stringList(given[2])
		if !isCounter || !areLabels || !areNames {
			return types.NewErr("no such overload")
		}
		return types.Int(of.podsMatching(labels, namespaces))
	})
	matchingOf := func(object string) cel.FunctionOpt {
		arguments := []*cel.Type{types.NewObjectType(object), labels, names}
		return cel.MemberOverload("pods_matching_"+object, arguments, types.IntType, matching)
	}
	text := types.StringType
	return []cel.EnvOption{
		cel.Function("podsMatching", matchingOf("Node"), matchingOf("Domain"), matchingOf("Cluster"), unguarded),
		cel.Function("domain", unguarded, cel.MemberOverload("node_domain", []*cel.Type{types.NewObjectType("Node"), text}, types.NewObjectType("Domain"),
			cel.BinaryBinding(func(node, key ref.Val) ref.Val { return node.(hasDomains).domain(string(key.(types.String))) }))),
		cel.Function("domains", unguarded, cel.MemberOverload("cluster_domains", []*cel.Type{types.NewObjectType("Cluster"), text}, types.IntType,
			cel.BinaryBinding(func(cluster, key ref.Val) ref.Val {
				return types.Int(cluster.(countsDomains).domains(string(key.(types.String))))
			}))),
	}
}

// stringMap returns false where something in the map is no text: the checker lets a map of anything through.
func stringMap(of ref.Val) (map[string]string, bool) {
	made := map[string]string{}
	mapper, ok := of.(traits.Mapper)
	if !ok {
		return nil, false
	}
	for it := mapper.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, isText := key.(types.String)
		value, alsoText := mapper.Get(key).(types.String)
		if !isText || !alsoText {
			return nil, false
		}
		made[string(name)] = string(value)
	}
	return made, true
}

func stringList(of ref.Val) (made []string, ok bool) {
	lister, ok := of.(traits.Lister)
	if !ok {
		return nil, false
	}
	for it := lister.Iterator(); it.HasNext() == types.True; {
		text, isText := it.Next().(types.String)
		if !isText {
			return nil, false
		}
		made = append(made, string(text))
	}
	return made, true
}
