#include "extender/explain/matrix.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "cluster/text/printable.h"
#include "extender/explain/columns.h"
#include "extender/explain/rows.h"
#include "extender/explain/terminal_width.h"
#include "extender/explain/text.h"

namespace winnow {
namespace {

constexpr std::string_view kName = "NODE";
constexpr std::string_view kTotal = "TOTAL";
constexpr std::string_view kAnswer = "ANSWER";
constexpr std::size_t kMark = 2;  // "* ", "= "
constexpr std::size_t kGap = 2;

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
    const auto name_width = [this] { return std::max(kName.size(), rows_.names_width()); };
    total_width_ = widest_total(rows_);
    scores_ = ScoreColumns(rows_.nodes);
    name_width_ = fit_columns(scores_, name_width(), other, width_);
    if (scores_.hidden.empty() && name_width_ == name_width()) return;
    rows_.drop_domain();
    scores_ = ScoreColumns(rows_.nodes);
    name_width_ = fit_columns(scores_, name_width(), other, width_);
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
    if (!rows_.domain.empty()) append_note("names end in " + rows_.domain);
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
