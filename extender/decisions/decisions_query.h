// The question of GET /decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "extender/decisions/decision_log.h"

namespace winnow {

/// Which decisions are asked for. What is absent or empty leaves nothing out.
struct DecisionsQuery {
  static constexpr std::size_t kDefaultLimit = 100;
  static constexpr std::size_t kMostLimit = 1000;

  std::string pod;   ///< NAMESPACE/NAME.
  std::string node;  ///< Among the best nodes, or where the pod is bound.
  std::string rule;  ///< It refused a node, or was among those that made the difference.
  std::optional<DecisionVerb> verb;
  std::optional<DecisionResult> result;
  std::optional<std::int64_t> since, until;  ///< Seconds since 1970, both included.
  std::size_t limit = kDefaultLimit;

  bool matches(const KeptDecision& decision) const;
};

/// Reads the path's part behind '?'. A pod without a namespace is one of "default".
/// @return the question; or one line that names the parameter, what it has and what is expected.
std::expected<DecisionsQuery, std::string> read_decisions_query(std::string_view query);

}  // namespace winnow
