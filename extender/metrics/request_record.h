// The record of one request, as metrics count it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "extender/engine/passes.h"

namespace winnow {

/// The end of a request. kError: status 200 with an Error for kube-scheduler.
enum class Result : std::uint8_t {
  kOk,
  kError,
  kBadRequest,
  kNotFound,
  kMethodNotAllowed,
  kShed,  ///< Refused with 503: it had waited, or computed, too long.
  kInternal,
};
inline constexpr std::size_t kResults = 7;

/// The result as a metric's label and in the log: "bad_request".
constexpr std::string_view to_string(Result result) {
  constexpr auto kTexts = std::to_array<std::string_view>(
      {"ok", "error", "bad_request", "not_found", "method_not_allowed", "shed", "internal"});
  static_assert(kTexts.size() == kResults);
  return kTexts[static_cast<std::size_t>(result)];
}

class VerbSeries;  ///< The series of one verb; see Metrics::verb.
class RuleSeries;  ///< The rejections of some rules; see Metrics::rules.

/// The counts of one request. Negative: does not apply, and is not counted.
struct RequestRecord {
  const VerbSeries* verb;
  Result result = Result::kOk;
  double seconds = 0;
  /// Indexed by Pass. Only verbs that compute have series of passes and of nodes.
  std::array<double, kPasses> pass_seconds = PassTimes().seconds();
  std::int64_t nodes = -1;  ///< Nodes asked about.
  std::int64_t feasible = -1;
  std::uint64_t unknown_nodes = 0;
  /// The number of nodes that each of `rules` rejected; may be shorter. Read during the call only.
  std::span<const std::uint32_t> rejected = {};
  const RuleSeries* rules = nullptr;  ///< Null: rejections are not counted.
};

}  // namespace winnow
