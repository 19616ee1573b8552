#include "extender/cli/flags/help.h"

#include <algorithm>

namespace winnow {
namespace {

/// Where the lines begin that go on with a line: under its second column, else under its own start.
std::size_t hanging_indent(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == 0 || start == std::string_view::npos) return 2;
  const std::size_t gap = line.find("  ", start);
  return gap == std::string_view::npos ? start : std::min(line.find_first_not_of(' ', gap), line.size());
}

}  // namespace

std::string fold_help(std::string_view help) {
  std::string folded;
  while (!help.empty()) {
    std::string_view line = help.substr(0, help.find('\n'));
    help.remove_prefix(std::min(line.size() + 1, help.size()));
    if (line.empty() && folded.ends_with("\n\n")) continue;
    const std::size_t indent = hanging_indent(line);
    while (line.size() > kHelpColumns - (folded.ends_with(' ') ? indent : 0)) {
      const std::size_t room = kHelpColumns - (folded.ends_with(' ') ? indent : 0);
      const std::size_t blank = line.rfind(' ', room);
      const std::size_t first = line.find_first_not_of(' ');
      if (blank == std::string_view::npos || blank <= first) break;  // One word, which is not cut.
      folded.append(line.substr(0, blank)).append("\n").append(indent, ' ');
      line.remove_prefix(blank + 1);
    }
    folded.append(line).append("\n");
  }
  return folded;
}

}  // namespace winnow
