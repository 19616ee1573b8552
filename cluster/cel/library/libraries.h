// The functions of the standard library and of the extensions, each group in a file of its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/environment.h"
#include "cluster/cel/function.h"
#include "cluster/cel/regex.h"

namespace winnow::cel {

// The standard library. Upstream: cel-go v0.29.2 common/stdlib/standard.go.

/// Arithmetic, comparisons, logic, `in` and indexes.
void add_operators(Environment& environment);
/// int(x), string(x), …, type(x) and dyn(x).
void add_conversions(Environment& environment);
/// size, contains, startsWith, endsWith, matches.
void add_texts_and_sizes(Environment& environment);
/// getFullYear and the others, of timestamps and durations.
void add_times(Environment& environment);

// Extensions of cel-go, as Kubernetes 1.37 turns them on. Upstream: cel-go v0.29.2 ext/ and cel/library.go.

/// optional.of and the others, with `?` in indexes.
void add_optionals(Environment& environment);
/// Strings, version 2.
void add_strings(Environment& environment);
/// "…".format([…]) of strings.
void add_format(Environment& environment);
/// Sets.
void add_sets(Environment& environment);
/// Lists, version 3, with the macro sortBy.
void add_lists(Environment& environment);
/// What transformMap adds entries by.
void add_map_insert(Environment& environment);

// Kubernetes' libraries. Upstream: k8s.io/apiserver v0.37.0 pkg/cel/library.

/// isSorted, sum, min, max, indexOf, lastIndexOf, includes.
void add_kubernetes_lists(Environment& environment);
/// find, findAll.
void add_regex(Environment& environment);
/// quantity, semver, ip, cidr, url.
void add_kubernetes_values(Environment& environment);
/// format.dns1123Label and the others, with validate.
void add_named_formats(Environment& environment);

/// a + b of any types.
Value add_values(const Value& a, const Value& b);
/// How matches, find or findAll is computed with a compiled pattern.
Value (*regex_call(std::string_view name))(const Regex& regex, Arguments arguments);

// How the above write declarations.

inline Overload overload(std::string id, std::vector<Type> arguments, Type result,
                         Implementation call = nullptr) {
  return {std::move(id), false, std::move(arguments), std::move(result), call};
}
inline Overload member(std::string id, std::vector<Type> arguments, Type result,
                       Implementation call = nullptr) {
  return {std::move(id), true, std::move(arguments), std::move(result), call};
}

}  // namespace winnow::cel
