// GET /decisions: the query, the answer, and the answer read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/explain/decision_record.h"

namespace winnow {

class DecisionLog;
struct KeptDecision;

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
/// @return the query; or one line that names the parameter, what it has and what is expected.
std::expected<DecisionsQuery, std::string> read_decisions_query(std::string_view query);

// The answer of GET /decisions.

/// No answer is longer.
inline constexpr std::size_t kMostDecisionsBytes = 200'000;

/// {"decisions":[…],"more":N,"kept":N,"keeps":N} and a line end, the newest decision first. `more` counts
/// those that match and are left out, by the limit or for want of room; `kept` all that are kept.
std::string decisions_json(DecisionLog& log, const DecisionsQuery& query);

/// Appends one decision as an object. docs/what-if.md describes it.
void append_decision(std::string& out, const KeptDecision& decision);

// The answer of GET /decisions, read again.

/// A decision as another Winnow tells it.
struct ToldDecision {
  std::string time;  ///< RFC 3339.
  std::string verb, text;
};

/// Reads the answer. Unknown fields are skipped: the other Winnow may be a later one.
/// @return the decisions, the newest first; or one line on what is wrong with it.
std::expected<std::vector<ToldDecision>, std::string> read_decisions(std::string json);

/// "2026-11-25 12:04:31 filter: it went to node-7: …". It cannot steer a terminal.
std::string line_of(const ToldDecision& decision);

}  // namespace winnow
