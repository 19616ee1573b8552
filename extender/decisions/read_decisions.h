// The answer of GET /decisions, read again.
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace winnow {

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
