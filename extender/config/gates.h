// --feature-gates.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace winnow {

/// The gates of the classic generation.
struct Gates {
  /// "ExactV116": v1.16.15 to the letter. Pods' requests and zones are read as v1.16 reads them, which is
  /// what the comparison with upstream runs under.
  bool exact_v116 = false;
};

/// Parses "A=true,B=false"; empty parts are passed over and the last of equal names counts.
/// Upstream: component-base v0.16.15 featuregate/feature_gate.go Set; the errors are in its words.
/// @return or why not: a part without a value, a value that is no boolean (Go's strconv.ParseBool), an
/// unknown gate.
std::expected<Gates, std::string> parse_gates(std::string_view text);

}  // namespace winnow
