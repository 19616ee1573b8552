// The interface of a rule that filters.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/request.h"
#include "cluster/rule/verdict.h"

namespace winnow {

struct Arguments;

/// A filter rule bound to one request. Binding has worked out, once, what depends only on the pod and on the
/// cluster as a whole.
class Predicate {
 public:
  virtual ~Predicate() = default;

  /// Writes the verdict on nodes[i] to out[i], which is "fits" on entry. Called concurrently for disjoint
  /// chunks of the request's nodes, in any order. It must write nothing else but the request's reason lists,
  /// and must not block. What it throws (OutOfTime, out of memory) ends the request.
  virtual void map(std::span<const NodeId> nodes, std::span<Verdict> out) const = 0;

  /// The texts of the reasons by number, 0 first. They are upstream's texts: its reasons, and its errors. The
  /// rule owns them, and they are read when the request and its view may be gone.
  virtual std::span<const std::string> reasons() const = 0;

  /// Whether the rule has refused the pod, or failed, before it looked at any node (upstream's PreFilter).
  /// Its verdict is then the same for every node, and comes before the verdicts of all other rules.
  virtual bool refuses_pod() const { return false; }
  /// The names of the only nodes that remain (a PreFilter's result), sorted; null if all do. The verdicts of
  /// map() on other nodes come before the verdicts of all other rules.
  virtual const std::vector<std::string>* only() const { return nullptr; }
  /// Whether nominated pods leave its verdicts as they are. The engine then does not bind it again for them.
  virtual bool ignores_nominated() const { return false; }
};

/// Binds a rule to a request. It throws OutOfTime when the request's time is over.
/// @return null if the rule does not apply to this pod: the pod then fits every node, at no cost. A plugin
/// whose PreFilter may Skip returns null exactly where upstream skips.
using BindPredicate = std::unique_ptr<const Predicate>(const Request&, const Arguments&);

}  // namespace winnow
