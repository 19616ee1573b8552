// The interface of a rule that filters.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/request.h"
#include "cluster/rule/verdict.h"

namespace winnow {

/// A filter rule bound to one request: what depends only on the pod and on the cluster as a whole has been
/// worked out, once.
class Predicate {
 public:
  virtual ~Predicate() = default;

  /// Judges nodes[i] into out[i], which is "fits" on entry. Runs concurrently on disjoint chunks of the
  /// request's nodes, in any order: writes nothing else, does not block, does not throw.
  virtual void map(std::span<const NodeId> nodes, std::span<Verdict> out) const = 0;

  /// The texts of the verdicts' reason bits, bit 0 first; at most Verdict::kMaxReasons. In upstream's words;
  /// for an error, upstream's error. They are the rule's own: read after the request and its view are gone.
  virtual std::span<const std::string> reasons() const = 0;

  /// The rule has refused the pod, or failed, before any node was looked at (upstream's PreFilter): its
  /// verdict is the same for every node, and comes before those of all other rules.
  virtual bool refuses_pod() const { return false; }
  /// The names of the only nodes that it leaves (a PreFilter's result), sorted, or null: all nodes. What
  /// map() says of the others comes before the verdicts of all other rules.
  virtual const std::vector<std::string>* only() const { return nullptr; }
  /// Pods that only wait for a node change nothing in what it says of that node.
  virtual bool ignores_nominated() const { return false; }
};

/// Binds a rule to a request. @return null when the rule has nothing to say about this pod: it then fits
/// everywhere and costs nothing. A plugin whose PreFilter may Skip gives null exactly where that does.
using BindPredicate = std::unique_ptr<const Predicate>(const Request&, const Arguments&);

}  // namespace winnow
