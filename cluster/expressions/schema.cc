#include "cluster/expressions/schema.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/macros.h"
#include "cluster/fields/v1_types.h"

namespace winnow::expressions {
namespace {

using cel::Arguments;
using cel::Type;
using cel::Value;

Type one(const V1Type& type) {
  switch (type.kind) {
    case V1Type::Kind::kBool:
      return Type::boolean();
    case V1Type::Kind::kInt:
      return Type::integer();
    case V1Type::Kind::kString:
    case V1Type::Kind::kQuantity:
      return Type::string();
    case V1Type::Kind::kTimestamp:
      return Type::timestamp();
    case V1Type::Kind::kAny:
      return Type::dyn();
    case V1Type::Kind::kObject:
      return Type::object(std::string(type.object));
  }
  return Type::dyn();
}

Type to_cel(const V1Type& type) {
  if (type.shape == V1Type::Shape::kList) return Type::list(one(type.element()));
  if (type.shape == V1Type::Shape::kMap) return Type::map(Type::string(), one(type.element()));
  return one(type);
}

void add_v1_types(cel::Environment& environment) {
  std::map<std::string, std::vector<cel::Variable>> objects;
  for_each_v1_field([&](std::string_view object, std::string_view field, const V1Type& type) {
    objects[std::string(object)].push_back({std::string(field), to_cel(type)});
  });
  for (auto& [name, fields] : objects) environment.add_object_type(name, std::move(fields));
}

const Type kAmounts = Type::map(Type::string(), Type::real());

void add_pod(cel::Environment& environment) {
  environment.add_object_type(
      "Pod",
      {{"metadata", Type::object("ObjectMeta")}, {"spec", Type::object("PodSpec")}, {"requests", kAmounts}});
}

void add_node(cel::Environment& environment) {
  environment.add_object_type("NodeStatus", {{"conditions", Type::list(Type::object("NodeCondition"))}});
  environment.add_object_type("Image", {{"size", Type::integer()}, {"nodes", Type::integer()}});
  environment.add_object_type("Usage",
                              {{"cpu", Type::real()}, {"memory", Type::real()}, {"age", Type::duration()}});
  environment.add_object_type("Node", {{"metadata", Type::object("ObjectMeta")},
                                       {"spec", Type::object("NodeSpec")},
                                       {"status", Type::object("NodeStatus")},
                                       {"capacity", kAmounts},
                                       {"allocatable", kAmounts},
                                       {"requested", kAmounts},
                                       {"pods", Type::integer()},
                                       {"images", Type::map(Type::string(), Type::object("Image"))},
                                       {"usage", Type::object("Usage")},
                                       {"metrics", kAmounts}});
  environment.add_object_type(
      "Domain", {{"allocatable", kAmounts}, {"requested", kAmounts}, {"pods", Type::integer()}});
  environment.add_object_type("Cluster", {{"nodes", Type::integer()}, {"pods", Type::integer()}});
}

template <class Facet>
const Facet* facet_of(const Value& value) {
  return value.is(cel::Kind::kMap) ? dynamic_cast<const Facet*>(&value.as_map()) : nullptr;
}

Value call_pods_matching(Arguments arguments) {
  const auto* const counts = facet_of<CountsPods>(arguments[0]);
  return counts ? counts->pods_matching(arguments[1], arguments[2]) : cel::no_such_overload();
}
Value call_domain(Arguments arguments) {
  const auto* const node = facet_of<HasDomains>(arguments[0]);
  return node ? node->domain(arguments[1].text()) : cel::no_such_overload();
}
Value call_domains(Arguments arguments) {
  const auto* const cluster = facet_of<CountsDomains>(arguments[0]);
  return cluster ? cluster->domains(arguments[1].text()) : cel::no_such_overload();
}

void add_functions(cel::Environment& environment) {
  const Type labels = Type::map(Type::string(), Type::string()), names = Type::list(Type::string());
  cel::Function matching{.name = "podsMatching"};
  for (const char* const of : {"Node", "Domain", "Cluster"})
    matching.overloads.push_back({.id = std::string("pods_matching_") + of,
                                  .member = true,
                                  .arguments = {Type::object(of), labels, names},
                                  .result = Type::integer(),
                                  .call = call_pods_matching});
  matching.guarded = false;
  environment.add_function(std::move(matching));
  cel::Function domain{.name = "domain"};
  domain.overloads.push_back({.id = "node_domain",
                              .member = true,
                              .arguments = {Type::object("Node"), Type::string()},
                              .result = Type::object("Domain"),
                              .call = call_domain});
  domain.guarded = false;
  environment.add_function(std::move(domain));
  cel::Function domains{.name = "domains"};
  domains.overloads.push_back({.id = "cluster_domains",
                               .member = true,
                               .arguments = {Type::object("Cluster"), Type::string()},
                               .result = Type::integer(),
                               .call = call_domains});
  domains.guarded = false;
  environment.add_function(std::move(domains));
}

cel::Environment make(Scope scope) {
  cel::Environment environment = cel::Environment::kubernetes();
  environment.add_macros(cel::binding_macros());
  add_v1_types(environment);
  add_pod(environment);
  environment.add_type_alias("duration", Type::duration());
  environment.add_type_alias("timestamp", Type::timestamp());
  environment.add_variable("pod", Type::object("Pod"));
  environment.add_variable("params", Type::map(Type::string(), Type::dyn()));
  environment.add_variable("now", Type::timestamp());
  if (scope == Scope::kPod) return environment;
  add_node(environment);
  add_functions(environment);
  environment.add_variable("node", Type::object("Node"));
  environment.add_variable("cluster", Type::object("Cluster"));
  return environment;
}

}  // namespace

const cel::Environment& environment(Scope scope) {
  static const cel::Environment kOfPod = make(Scope::kPod);
  static const cel::Environment kOfNodes = make(Scope::kNodes);
  return scope == Scope::kPod ? kOfPod : kOfNodes;
}

}  // namespace winnow::expressions
