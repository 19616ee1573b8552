#include "cluster/text/shell_word.h"

#include <algorithm>

#include "cluster/text/ascii.h"

namespace winnow {

std::string shell_word(std::string_view text) {
  const auto is_safe = [](char c) { return is_alphanumeric(c) || std::string_view(":@%+,./_-").contains(c); };
  if (!text.empty() && std::ranges::all_of(text, is_safe)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text)
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  return quoted + "'";
}

}  // namespace winnow
