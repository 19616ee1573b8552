#include "extender/explain/matrix.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "cluster/go_math.h"
#include "cluster/text/characters.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_text.h"

namespace winnow {
namespace {

// Up to so many rows are shown instead of a line about hidden ones.
constexpr std::size_t kGrace = 2;

bool is_better(const NodeExplanation* a, const NodeExplanation* b) {
  return a->total != b->total ? a->total > b->total : a->name < b->name;
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
  for (std::size_t i = 0; i < shown; ++i) names.push_back(printable(options.names.of(nodes[i]->name)));
}

std::size_t Rows::names_width() const { return columns(*std::ranges::max_element(names, {}, columns)); }

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

namespace {

constexpr std::string_view kName = "NODE";
constexpr std::string_view kTotal = "TOTAL";
constexpr std::string_view kAnswer = "ANSWER";
constexpr std::size_t kMark = 2;
std::size_t widest_total(const Rows& rows) {
  std::size_t width = kTotal.size();
  for (const NodeExplanation* row : rows.nodes) width = std::max(width, columns(std::to_string(row->total)));
  return width;
}

class Matrix {
 public:
  Matrix(std::string& out, const Explanation& explanation, const TableOptions& options)
      : out_(out), colour_(options.colour), width_(line_width(options)), rows_(explanation, options) {
    const std::size_t other = kMark + kGap + widest_total(rows_) + kGap + kAnswer.size();
    total_width_ = widest_total(rows_);
    scores_ = ScoreColumns(rows_.nodes);
    name_width_ = fit_columns(scores_, std::max(kName.size(), rows_.names_width()), other, width_);
  }

  void append() {
    append_header();
    for (std::size_t i = 0; i < rows_.shown; ++i) append_row(i);
    append_hidden_rows();
    const std::size_t end = out_.size();
    append_choice();
    append_score_error();
    append_columns_note();
    if (out_.size() > end) out_.insert(end, 1, '\n');
  }

 private:
  void append_line(std::string line, std::string_view code) {
    line.erase(line.find_last_not_of(' ') + 1);
    append_styled(out_, line, colour_ ? code : kPlain);
    out_ += '\n';
  }

  void append_note(std::string_view text) {
    append_paragraph(out_, text,
                     {.width = width_, .prefix = "  ", .indent = 4, .style = colour_ ? kDim : kPlain});
  }

  static void pad_left(std::string& line, std::string_view text, std::size_t width) {
    line.append(kGap + width - std::min(width, columns(text)), ' ').append(text);
  }

  [[nodiscard]] std::string line_start(std::string_view mark, std::string_view name) const {
    std::string line(mark);
    line += name;
    line.append(name_width_ - std::min(name_width_, columns(name)), ' ');
    return line;
  }

  // Headers of fewer lines are aligned to the bottom.
  void append_header() {
    std::size_t height = 1;
    for (const ScoreColumn& column : scores_.differing) height = std::max(height, column.header.size());
    for (std::size_t i = 0; i < height; ++i) {
      const bool last = i + 1 == height;
      std::string line = line_start("  ", last ? kName : "");
      pad_left(line, last ? kTotal : "", total_width_);
      pad_left(line, last ? kAnswer : "", kAnswer.size());
      for (const ScoreColumn& column : scores_.differing) {
        const std::size_t above = height - column.header.size();
        pad_left(line, i < above ? "" : column.header[i - above], column.width);
      }
      append_line(std::move(line), kBold);
    }
  }

  void append_row(std::size_t row) {
    const NodeExplanation& node = *rows_.nodes[row];
    const bool selected = &node == rows_.selected;
    const bool tie = rows_.ties > 1 && node.total == rows_.best;
    std::string line = line_start(selected ? "* "
                                  : tie    ? "= "
                                           : "  ",
                                  shorten_middle(rows_.names[row], name_width_));
    pad_left(line, node.scored ? std::to_string(node.total) : "-", total_width_);
    pad_left(line, node.scored ? std::to_string(node.answer) : "-", kAnswer.size());
    for (const ScoreColumn& column : scores_.differing) pad_left(line, column.cell(node), column.width);
    append_line(std::move(line), selected ? kGreen : kPlain);
  }

  void append_hidden_rows() {
    const std::size_t hidden = rows_.nodes.size() - rows_.shown;
    if (hidden == 0) return;
    const std::vector<const NodeExplanation*> others(rows_.nodes.end() - static_cast<std::ptrdiff_t>(hidden),
                                                     rows_.nodes.end());
    const std::string high = std::to_string(others.front()->total);
    const std::string low = std::to_string(others.back()->total);
    append_note("… and " + with_thousands(hidden) + " more feasible nodes, " +
                (low == high ? "total " + low : "totals " + low + " to " + high));
  }

  void append_choice() {
    const bool second_best = rows_.selected != nullptr && rows_.selected->total != rows_.best;
    if (rows_.ties > 1) {
      const std::string_view marks = rows_.selected == nullptr || second_best ? "=" : "* and =";
      append_note(count_nodes(rows_.ties) + " tie at " + std::to_string(rows_.best) + " (" +
                  std::string(marks) + ")");
    }
    if (second_best) append_note("* was selected although its total is not the highest");
  }

  void append_score_error() {
    const std::optional<ScoreError>& failed = rows_.nodes.front()->score_error;
    if (failed)
      append_note(printable("not scored, and the only node that fits: " + failed->rule +
                            ": error: " + failed->error));
  }

  void append_columns_note() {
    if (!scores_.hidden.empty()) {
      std::string text = "+" + std::to_string(scores_.hidden.size()) + " more (use -o json or --width):";
      for (const std::string& rule : scores_.hidden)
        text += (&rule == scores_.hidden.data() ? " " : ", ") + rule;
      append_note(text);
    }
    if (!scores_.constant.empty()) {
      append_note((rows_.nodes.size() == 1 ? "scores: " : "the same for every node: ") + scores_.constant);
    }
    if (!scores_.skipped.empty()) append_note("nothing to say about this pod: " + scores_.skipped);
  }

  std::string& out_;
  bool colour_;
  std::size_t width_;
  Rows rows_;
  ScoreColumns scores_;
  std::size_t total_width_ = 0;
  std::size_t name_width_ = 0;
};

}  // namespace

void append_matrix(std::string& out, const Explanation& explanation, const TableOptions& options) {
  Matrix(out, explanation, options).append();
}

}  // namespace winnow
