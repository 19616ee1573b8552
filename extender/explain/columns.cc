#include "extender/explain/columns.h"

#include <algorithm>
#include <string_view>

#include "cluster/go_int.h"
#include "cluster/text/printable.h"
#include "extender/explain/terminal_width.h"
#include "extender/explain/text.h"

namespace winnow {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kMostLines = 3;
// Names of nodes are shortened to kShortName before the last kFewColumns columns are left out.
constexpr std::size_t kShortName = 20;
constexpr std::size_t kFewColumns = 3;

std::string without_suffix(std::string_view rule) {
  constexpr std::string_view kSuffix = "Priority";
  if (rule.size() > kSuffix.size() && rule.ends_with(kSuffix)) rule.remove_suffix(kSuffix.size());
  return std::string(rule);
}

std::vector<std::string> filled(const std::vector<std::string>& parts, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& part : parts) {
    if (lines.empty() || columns(lines.back()) + columns(part) > width) {
      lines.push_back(part);
    } else {
      lines.back() += part;
    }
  }
  return lines;
}

// The narrowest form of a name with at most so many lines.
std::vector<std::string> broken(const std::string& name, std::size_t max_lines) {
  const std::vector<std::string> parts = name_parts(name);
  std::size_t width = 0;
  for (const std::string& part : parts) width = std::max(width, columns(part));
  std::vector<std::string> lines = filled(parts, width);
  while (lines.size() > max_lines) lines = filled(parts, ++width);
  return lines;
}

void set_header(ScoreColumn& column, std::vector<std::string> lines) {
  column.header = std::move(lines);
  column.width = column.cell_width;
  for (const std::string& line : column.header) column.width = std::max(column.width, columns(line));
}

// Level 0: full names. Level 1: without "Priority". Further levels: on more lines.
void set_headers(std::vector<ScoreColumn>& differing, std::size_t level) {
  for (ScoreColumn& column : differing) {
    if (level == 0) {
      set_header(column, {column.rule});
    } else {
      set_header(column, broken(without_suffix(column.rule), level));
    }
  }
}

std::size_t total_width(const std::vector<ScoreColumn>& differing) {
  std::size_t width = 0;
  for (const ScoreColumn& column : differing) width += kGap + column.width;
  return width;
}

void hide_least(ScoreColumns& scores) {
  // The last of equals is left out.
  const auto reversed =
      std::ranges::min_element(scores.differing.rbegin(), scores.differing.rend(), {}, &ScoreColumn::spread);
  const auto least = std::prev(reversed.base());
  scores.hidden.insert(scores.hidden.begin(), least->rule);
  scores.differing.erase(least);
}

std::string weighted(std::int64_t score, std::int64_t weight) {
  return weight == 1 ? std::to_string(score) : std::to_string(score) + "×" + std::to_string(weight);
}

void append_item(std::string& list, std::string_view item) {
  if (!list.empty()) list += ", ";
  list += item;
}

}  // namespace

std::string ScoreColumn::cell(const NodeExplanation& node) const {
  return index < node.scores.size() ? weighted(node.scores[index].score, weight) : "";
}

ScoreColumns::ScoreColumns(const std::vector<const NodeExplanation*>& nodes) {
  const std::vector<ScoreEntry>& rules = nodes.front()->scores;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    ScoreColumn column{.index = i, .rule = printable(rules[i].rule), .weight = rules[i].weight};
    std::int64_t low = rules[i].score;
    std::int64_t high = low;
    for (const NodeExplanation* node : nodes) {
      if (i >= node->scores.size()) continue;
      low = std::min(low, node->scores[i].score);
      high = std::max(high, node->scores[i].score);
      column.cell_width = std::max(column.cell_width, columns(column.cell(*node)));
    }
    column.spread = wrap_multiply(wrap_subtract(high, low), column.weight);  // They may come from a server.
    if (low != high) {
      differing.push_back(std::move(column));
    } else if (rules[i].skipped) {
      append_item(skipped, column.rule);
    } else {
      append_item(constant, column.rule + " " + weighted(low, column.weight));
    }
  }
}

std::size_t fit_columns(ScoreColumns& scores, std::size_t names, std::size_t other, std::size_t width) {
  set_headers(scores.differing, 0);
  if (width == 0) return names;
  const auto fits = [&](std::size_t name_width) {
    return other + name_width + total_width(scores.differing) <= width;
  };
  for (std::size_t level = 1; level <= kMostLines && !fits(names); ++level)
    set_headers(scores.differing, level);
  while (!fits(names) && scores.differing.size() > kFewColumns) hide_least(scores);
  while (!fits(std::min(names, kShortName)) && !scores.differing.empty()) hide_least(scores);
  // The space of a hidden column is used for longer headers.
  for (std::size_t level = kMostLines; level-- > 0 && !scores.hidden.empty();) {
    set_headers(scores.differing, level);
    if (fits(names)) continue;
    set_headers(scores.differing, level + 1);
    break;
  }
  const std::size_t taken = other + total_width(scores.differing);
  return std::min(names, std::max<std::size_t>(3, width > taken ? width - taken : 3));
}

}  // namespace winnow
