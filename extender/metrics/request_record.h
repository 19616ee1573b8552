// What the metrics are told of one request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "extender/engine/passes.h"

namespace winnow {

/// How a request ended. kError: 200 with an Error for kube-scheduler.
enum class Result : std::uint8_t {
  kOk,
  kError,
  kBadRequest,
  kNotFound,
  kMethodNotAllowed,
  kShed,  ///< Not answered: it had waited too long.
  kInternal,
};
inline constexpr std::size_t kResults = 7;

/// As a metric's label and the log have it: "bad_request".
constexpr std::string_view to_string(Result result) {
  constexpr auto kTexts = std::to_array<std::string_view>(
      {"ok", "error", "bad_request", "not_found", "method_not_allowed", "shed", "internal"});
  static_assert(kTexts.size() == kResults);
  return kTexts[static_cast<std::size_t>(result)];
}

class VerbSeries;  ///< The series of one verb; see Metrics::verb.
class RuleSeries;  ///< The rejections of some rules; see Metrics::rules.

/// One request. Negative: does not apply, and is not counted.
struct RequestRecord {
  const VerbSeries* verb;
  Result result = Result::kOk;
  double seconds = 0;
  /// By Pass. Only verbs that compute have such series, and such of nodes.
  std::array<double, kPasses> pass_seconds = PassTimes().seconds();
  std::int64_t nodes = -1;  ///< Asked about.
  std::int64_t feasible = -1;
  std::uint64_t unknown_nodes = 0;
  /// Nodes that each of `rules` rejected; may be shorter. Read during the call only.
  std::span<const std::uint32_t> rejected = {};
  const RuleSeries* rules = nullptr;  ///< Null: rejections are not counted.
};

}  // namespace winnow
