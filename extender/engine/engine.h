// The engine: binds the rules to a request, maps them over the nodes, reduces, sums and selects.
//
// extender/engine holds the RuleSet (what to ask), the Workers (who runs it), the engine's two halves, filter
// and prioritize, engines.h (an engine for each profile), select.h (what is made of the totals), nominated.h
// (pods that a node is promised to), victims.h (whom a preemption evicts), taking_back.h (whom it may leave
// alone) and preemption_preview.h (what kube-scheduler's would do). Rows are rules, columns are nodes; every
// slot of a matrix has one writer.
#pragma once

#include <expected>

#include "extender/engine/passes.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"

namespace winnow {

/// A rule bound to the request, or null: it has nothing to say.
using BoundPredicates = std::vector<std::unique_ptr<const Predicate>>;

/// What the predicates say.
struct Filtered {
  static constexpr std::uint16_t kNobody = 0xffff;

  const RuleSet* rules = nullptr;
  BoundPredicates bound;  ///< By rule.
  /// By node, in the order asked: the first rule that it fails, and that rule's verdict.
  std::vector<std::uint16_t> failed_by;
  std::vector<Verdict> verdict;
  /// [rule * nodes + node]: every rule's verdict on every node. Only where all rules were asked.
  std::vector<Verdict> matrix;
  /// [rule]: by node id, whether the rule leaves the node before any is looked at; empty: it leaves all.
  std::vector<std::vector<std::uint8_t>> left;
  /// [rule]: reasons that it only gives where nominated pods count; their bits are behind those of `bound`.
  std::vector<std::vector<std::string>> more_reasons;

  bool fits(std::size_t node) const { return failed_by[node] == kNobody; }
  /// The texts of a verdict of a rule, in order.
  std::vector<std::string_view> reasons(std::size_t rule, Verdict failed) const;
  /// The error that fails the whole call, if a node's filtering ended in one; in upstream's words.
  std::optional<std::string> error() const;
};

/// What the priorities give. Matrices are [rule * nodes + node], nodes in the order of the request.
struct Scored {
  std::vector<std::int64_t> raw;     ///< What map gave; kept only where asked for.
  std::vector<std::int64_t> scores;  ///< What reduce made of it.
  std::vector<std::int64_t> totals;  ///< By node: the weighted sum.
  std::vector<bool> skipped;         ///< By rule: it had nothing to say about this pod.
};

/// Rules and threads; immutable, shared by all requests.
class Engine {
 public:
  /// Both outlive the engine.
  Engine(const RuleSet& rules, Workers& workers) : rules_(rules), workers_(workers) {}

  /// Asks the predicates about the request's nodes. What rules say before any node is looked at comes first;
  /// a node's first failure ends its filtering, unless `all_rules`. Nodes that other pods are nominated for
  /// are asked about twice: see nominated.h. Adds its time to bind and map.
  Filtered filter(const Request& request, bool all_rules, PassTimes& times) const;

  /// What the predicates say before any node is looked at: binds them, and asks no more.
  Filtered begin(const Request& request) const;
  /// Whether the pod would fit on a node after changes, nominated pods counted.
  /// @param begun  of the cluster without the changes: what it has refused stays refused, and a plugin of
  ///   today's that had nothing to say there says nothing here, as upstream's dry run of a preemption.
  /// @param why  is given the reasons of the first rule that refuses the node; may be null.
  bool fits_after(const Filtered& begun, const Pod& pod, const Overlay& changed, std::string_view node_name,
                  std::vector<std::string>* why = nullptr) const;

  /// Asks the priorities about the request's nodes, which are taken to fit. An error fails the call. Adds its
  /// time to bind, map and reduce.
  std::expected<Scored, std::string> prioritize(const Request& request, bool keep_raw,
                                                PassTimes& times) const;

  const RuleSet& rules() const { return rules_; }
  Workers& workers() const { return workers_; }

 private:
  /// A second look at one node; see nominated.h.
  struct Again {
    NodeId before = kNone;   ///< The node in the view that `begun` was bound to.
    bool nominated = false;  ///< The view differs in nominated pods alone.
  };
  Filtered ask_again(const Filtered& begun, const Request& request, Again again, bool all_rules) const;
  Verdict ask_rule_again(const Filtered& begun, std::size_t rule, const Request& request, Again again,
                         std::unique_ptr<const Predicate>& bound) const;
  bool decides(const Filtered& result, std::size_t node, Verdict failure) const;
  void count_nominated(Filtered& result, const Request& request, std::span<const std::uint16_t> refused,
                       bool all_rules) const;
  void refuse_before_nodes(Filtered& result, const Request& request) const;
  void map(const Filtered& result, std::size_t rule, std::span<const NodeId> nodes,
           std::span<Verdict> out) const;
  void filter_chunk(Filtered& result, std::span<const NodeId> nodes, std::size_t begin,
                    std::size_t end) const;
  void filter_chunk_all(Filtered& result, std::span<const NodeId> nodes, std::size_t begin,
                        std::size_t end) const;

  const RuleSet& rules_;
  Workers& workers_;
};

/// What v1.16 checks before any predicate: that the pod's claims exist and are not being deleted.
/// @return the error that fails the pod. Upstream: core/generic_scheduler.go podPassesBasicChecks v1.16.15.
std::optional<std::string> basic_checks(const Pod& pod, const View& view);

}  // namespace winnow
