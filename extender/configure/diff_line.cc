#include "extender/configure/diff_line.h"

#include <algorithm>
#include <cstddef>

namespace winnow {
namespace {

/// The column of reasons, where the line leaves room for it.
constexpr std::size_t kReasonColumn = 48;

}  // namespace

std::string DiffLine::commented() const {
  if (reason.empty()) return text;
  const std::size_t width = std::max(kReasonColumn, text.size() + 1);
  return text + std::string(width - text.size(), ' ') + "# " + reason;
}

}  // namespace winnow
