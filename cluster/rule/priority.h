// The interface of a rule that scores.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/rule/request.h"

namespace winnow {

/// The largest score of a classic rule, and of an extender's answer.
inline constexpr std::int64_t kMaxClassicScore = 10;

/// The largest score of a plugin of today's. Upstream: fwk.MaxNodeScore v1.37.0.
inline constexpr std::int64_t kMaxNodeScore = 100;

/// A scoring rule bound to one request: a map over nodes, then a reduce over all that map gave.
class Priority {
 public:
  virtual ~Priority() = default;

  /// The raw score of nodes[i] into out[i], which is 0 on entry. Runs concurrently on disjoint chunks of the
  /// request's nodes, in any order: writes nothing else, does not block, does not throw.
  virtual void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const = 0;

  /// Turns the raw scores of all the request's nodes into scores, in place. Called once, after every map.
  /// A rule whose raw score is its score leaves this out.
  virtual void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const {
    static_cast<void>(nodes);
    static_cast<void>(scores);
  }
};

/// Binds a rule to a request. An error fails the whole call, as upstream's scoring errors do.
/// @return null when the rule has nothing to say about this pod: it then scores 0 everywhere. A plugin whose
/// PreScore may Skip gives null exactly where that does.
using BindPriority = std::expected<std::unique_ptr<const Priority>, std::string>(const Request&,
                                                                                 const Arguments&);

}  // namespace winnow
