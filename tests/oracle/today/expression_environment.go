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
		return types.Int(given[0].(countsPods).podsMatching(stringMap(given[1]), stringList(given[2])))
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

func stringMap(of ref.Val) map[string]string {
	made := map[string]string{}
	for it := of.(traits.Mapper).Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		made[string(key.(types.String))] = string(of.(traits.Mapper).Get(key).(types.String))
	}
	return made
}

func stringList(of ref.Val) (made []string) {
	for it := of.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		made = append(made, string(it.Next().(types.String)))
	}
	return made
}
