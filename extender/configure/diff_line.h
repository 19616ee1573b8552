// A line of two documents that are set side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace winnow {

enum class LineIn : std::uint8_t { kBoth, kOld, kNew };

struct DiffLine {
  LineIn in = LineIn::kBoth;
  std::string text;    ///< YAML, indented, without an end of line.
  std::string reason;  ///< Why it changes; "" for a line in both, and for an old value that is replaced.

  /// The text, and the reason as a comment behind it.
  std::string commented() const;
};

}  // namespace winnow
