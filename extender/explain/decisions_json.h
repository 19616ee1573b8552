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
#include "extender/explain/hidden_pods.h"
#include "extender/explain/node_names.h"

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
/// @param sees  the caller: see hide_pods(). Null: it is told all.
std::string decisions_json(DecisionLog& log, const DecisionsQuery& query, SeesPods sees = nullptr);

/// Appends one decision as an object. docs/what-if.md describes it.
void append_decision(std::string& out, const KeptDecision& decision);

// The answer of GET /decisions, read again.

/// A decision as another Winnow tells it.
struct ToldDecision {
  std::string time;  ///< RFC 3339.
  std::string verb, text;
  std::string request_id;  ///< X-Request-ID of the call; "": none, or of a Winnow that does not say.
  std::vector<std::string> nearest;  ///< What the nearest nodes lack, a line for each.
  std::vector<std::string> nodes;    ///< The names of the nodes that it has fields for; some are there twice.
};

/// Reads the answer. Unknown fields are skipped: the other Winnow may be a later one.
/// @return the decisions, the newest first; or one line on what is wrong with it.
std::expected<std::vector<ToldDecision>, std::string> read_decisions(std::string json);

/// What the nodes' names of the decisions share.
NodeNames node_names_of(const std::vector<ToldDecision>& decisions);

/// "2026-11-25 12:04:31 filter: it went to node-7: … (request 5f0c2b9a41d87e36)". It cannot steer a terminal.
/// @param names  what is left out of nodes' names.
std::string line_of(const ToldDecision& decision, const NodeNames& names = {});
/// "  node-3: wants 6 cpu: 4220m of 8 are free, 9 pods request 3780m", for each of the nearest nodes. The
/// same holds.
std::vector<std::string> nearest_lines_of(const ToldDecision& decision, const NodeNames& names = {});

}  // namespace winnow
