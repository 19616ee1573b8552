#include "extender/engine/fit_error.h"

#include <algorithm>
#include <format>
#include <vector>

namespace winnow {

std::string fit_error(const std::map<std::string_view, std::size_t>& counts, std::size_t nodes) {
  // Upstream sorts the texts, so that 10 comes before 2.
  std::vector<std::string> texts;
  for (const auto& [reason, count] : counts) texts.push_back(std::format("{} {}", count, reason));
  std::ranges::sort(texts);
  std::string list;
  for (const std::string& text : texts) list.append(list.empty() ? ": " : ", ").append(text);
  return std::format("0/{} nodes are available{}.", nodes, list);
}

}  // namespace winnow
