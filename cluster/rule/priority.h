// The interface of a rule that scores.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cluster/rule/request.h"

namespace winnow {

struct Arguments;

/// The largest score of a classic rule, and of an extender's answer.
inline constexpr std::int64_t kMaxClassicScore = 10;

/// The largest score of a plugin of today's generation. Upstream: fwk.MaxNodeScore v1.37.0.
inline constexpr std::int64_t kMaxNodeScore = 100;

/// A scoring rule bound to one request. It maps each node to a raw score, and then reduces all raw scores to
/// scores.
class Priority {
 public:
  virtual ~Priority() = default;

  /// Writes the raw score of nodes[i] to out[i], which is 0 on entry. Called concurrently for disjoint chunks
  /// of the request's nodes, in any order. It must write nothing else, and must not block. What it throws
  /// (OutOfTime, out of memory) ends the request.
  virtual void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const = 0;

  /// Turns the raw scores of all the request's nodes into scores, in place. Called once, after the last
  /// map(). A rule whose raw scores are its scores does not override this.
  virtual void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const {
    static_cast<void>(nodes);
    static_cast<void>(scores);
  }
};

/// Binds a rule to a request. An error fails the whole call, as upstream's scoring errors do.
/// @return null if the rule does not apply to this pod: every node then scores 0. A plugin whose PreScore may
/// Skip returns null exactly where upstream skips.
using BindPriority = std::expected<std::unique_ptr<const Priority>, std::string>(const Request&,
                                                                                 const Arguments&);

}  // namespace winnow
