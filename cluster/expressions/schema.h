// What users' expressions may use: the variables, their types and functions.
//
// cluster/expressions has the expressions of users over pods, nodes and the cluster: what they may use, what
// an expression reads (reads.h), the objects that it sees (objects.h), and the compiled expression
// (expression.h). The language is that of cluster/cel; the plugin Expression of predicates/ and priorities/
// runs them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cluster/cel/environment.h"

namespace winnow::expressions {

/// Which variables an expression sees.
enum class Scope : std::uint8_t {
  kPod,    ///< pod, params and now.
  kNodes,  ///< node and cluster, too.
};

/// The variables, as indices into the values of an evaluation. Those of Scope::kPod come first.
enum Variable : std::uint8_t { kPod, kParams, kNow, kNode, kCluster };
inline constexpr std::size_t kVariables = 5;
inline constexpr std::array<std::string_view, kVariables> kVariableNames = {"pod", "params", "now", "node",
                                                                            "cluster"};

/// The most that one evaluation may cost, in Kubernetes' units, as a selector of devices may.
inline constexpr std::uint64_t kMostCost = 1'000'000;

/// Kubernetes' environment with these variables. It lives as long as the process.
const cel::Environment& environment(Scope scope);

/// What counts the pods that match some labels: a node, a domain, the cluster. A map that is one is asked for
/// its function podsMatching().
class CountsPods {
 public:
  virtual ~CountsPods() = default;
  /// @param labels  a map. @param namespaces  a list; empty: all namespaces.
  virtual cel::Value pods_matching(const cel::Value& labels, const cel::Value& namespaces) const = 0;
};
/// A node, which is in a domain by each of its labels.
class HasDomains {
 public:
  virtual ~HasDomains() = default;
  virtual cel::Value domain(std::string_view key) const = 0;
};
/// The cluster, which has domains by each label.
class CountsDomains {
 public:
  virtual ~CountsDomains() = default;
  virtual cel::Value domains(std::string_view key) const = 0;
};

}  // namespace winnow::expressions
