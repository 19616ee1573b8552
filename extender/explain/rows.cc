#include "extender/explain/rows.h"

#include <algorithm>
#include <string_view>

#include "cluster/text/printable.h"
#include "extender/explain/terminal_width.h"

namespace winnow {
namespace {

// Up to so many rows are shown instead of a line about hidden ones.
constexpr std::size_t kGrace = 2;
constexpr std::size_t kShortDomain = 6;

bool is_better(const NodeExplanation* a, const NodeExplanation* b) {
  return a->total != b->total ? a->total > b->total : a->name < b->name;
}

std::string_view common_suffix(std::string_view a, std::string_view b) {
  std::size_t length = 0;
  while (length < std::min(a.size(), b.size()) && a[a.size() - length - 1] == b[b.size() - length - 1])
    ++length;
  return a.substr(a.size() - length);
}

}  // namespace

Rows::Rows(const Explanation& explanation, const TableOptions& options) {
  for (const NodeExplanation& node : explanation.nodes) {
    if (!node.fits) continue;
    nodes.push_back(&node);
    if (explanation.selected == node.name) selected = &node;
  }
  std::ranges::sort(nodes, is_better);
  best = nodes.front()->total;
  ties = static_cast<std::size_t>(std::ranges::count(nodes, best, &NodeExplanation::total));
  const std::size_t limit = std::max<std::size_t>(1, options.max_nodes);
  shown = options.all_nodes || nodes.size() <= limit + kGrace ? nodes.size() : limit;
  const auto last = nodes.begin() + static_cast<std::ptrdiff_t>(shown) - 1;
  const auto pick = std::ranges::find(nodes, selected);
  if (pick != nodes.end() && pick > last) std::rotate(last, pick, pick + 1);
  for (std::size_t i = 0; i < shown; ++i) names.push_back(printable(nodes[i]->name));
}

std::size_t Rows::names_width() const { return columns(*std::ranges::max_element(names, {}, columns)); }

void Rows::drop_domain() {
  std::string_view suffix = names.front();
  for (const std::string& name : names) suffix = common_suffix(suffix, name);
  // A domain starts at a dot, and at least one character of the shortest name must stay.
  const std::size_t dot = suffix.find('.', names.front().size() == suffix.size() ? 1 : 0);
  if (dot == std::string_view::npos || suffix.size() - dot < kShortDomain) return;
  domain = suffix.substr(dot);
  for (std::string& name : names) name.resize(name.size() - domain.size());
}

}  // namespace winnow
