// The nodes that match a pod: those whose taints it tolerates, and node selectors, evaluated on columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/api/selector.h"
#include "cluster/state/view.h"

namespace winnow {

/// Rules that can ask about many nodes at once ask about at most so many: what they read and mark then stays
/// in the nearest cache.
inline constexpr std::size_t kNodesPerBlock = 256;

struct PodSpec;
struct Toleration;

/// The taints of nodes, judged for one pod. Nodes share taint sets: each set is judged once, and a node costs
/// two array reads. The view must outlive the object.
class ToleratedTaints {
 public:
  /// @param effects  taints with any other effect are ignored.
  /// Upstream: component-helpers v0.37.0 scheduling/corev1 FindMatchingUntoleratedTaint.
  ToleratedTaints(const View& view, const std::vector<Toleration>& tolerations,
                  std::initializer_list<std::string_view> effects);

  /// Whether the pod tolerates every taint set that the view has.
  bool tolerates_all_nodes() const { return all_; }
  bool tolerates(NodeId node) const { return sets_[taints_[node]] != 0; }

 private:
  const Column<std::uint32_t> taints_;
  std::vector<std::uint8_t> sets_;  ///< By taint set.
  bool all_ = true;
};

// Node selectors, evaluated on columns.

/// Requirements on a node's labels and name, all of which must hold. They are bound to a view: a test of one
/// label costs one array read, and Gt and Lt parse the value too. The view must outlive the object. Safe to
/// share between threads.
class NodeMatcher {
 public:
  /// @param selector  matched with the node's labels.
  NodeMatcher(const View& view, const Selector& selector);
  /// A term's matchExpressions and its matchFields. A term that is empty or invalid matches no node.
  /// Upstream: pkg/apis/core/v1/helper MatchNodeSelectorTerms v1.16.15.
  NodeMatcher(const View& view, const NodeSelectorTerm& term);

  bool matches(NodeId node) const;
  /// The same for many nodes: clears the marks of those that do not match. @param marks  by place; 0 or 1.
  void keep_matching(std::span<const NodeId> nodes, std::span<std::uint8_t> marks) const;

 private:
  struct Test {
    Column<Symbol> value;
    Operator op;
    std::vector<Symbol> values;  ///< In and NotIn; sorted. Values that nothing in the view has are left out.
    std::int64_t bound;          ///< Gt and Lt.
  };
  void add_field(const SelectorRequirement& field);
  bool holds(const Test& test, NodeId node) const;
  void keep_holding(const Test& test, std::span<const NodeId> nodes, std::span<std::uint8_t> marks) const;

  const View& view_;
  bool nothing_ = false;
  std::vector<Test> tests_;
  // Of matchFields: the name that the node must have, and those that it must not have.
  std::optional<std::string> name_;
  std::set<std::string, std::less<>> other_names_;
};

/// The nodes that a pod may run on by its nodeSelector and its required node affinity. Both must match.
/// Upstream: predicates.go PodMatchesNodeSelectorAndAffinityTerms v1.16.15; component-helpers v0.37.0
/// scheduling/corev1/nodeaffinity GetRequiredNodeAffinity, its errors taken for no match.
class PodNodeMatcher {
 public:
  /// The view must outlive the object.
  PodNodeMatcher(const View& view, const PodSpec& pod, Generation generation = Generation::kClassic);

  /// Whether every node matches: the pod asks for nothing, or (in v1.16) its nodeSelector is invalid.
  bool is_everything() const { return !has_terms_ && selects_all_; }
  bool matches(NodeId node) const;
  /// As NodeMatcher's. @param nodes  at most kNodesPerBlock.
  void keep_matching(std::span<const NodeId> nodes, std::span<std::uint8_t> marks) const;

 private:
  const bool selects_all_;
  const NodeMatcher node_selector_;
  bool has_terms_ = false;
  std::vector<NodeMatcher> terms_;  ///< ORed.
};

}  // namespace winnow
