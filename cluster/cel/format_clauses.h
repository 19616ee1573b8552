// The clauses of "…".format([…]): "%s", "%.3f". Upstream: cel-go v0.29.2 ext/formatting.go.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::cel {

/// A clause, or text between clauses.
struct FormatPart {
  /// The letter of the clause: s, d, f, e, b, x, X or o; 0 of a text.
  char verb = 0;
  /// -1 if none is written.
  int precision = -1;
  std::string text;
};

/// Reads the next part. @param text  not empty; what is read is cut off.
/// @return the part, or what is wrong.
std::expected<FormatPart, std::string> next_format_part(std::string_view& text);

}  // namespace winnow::cel
