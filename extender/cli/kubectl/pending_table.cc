#include "extender/cli/kubectl/pending_table.h"

#include <algorithm>
#include <format>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "extender/cli/kubectl/node_list.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/table.h"

namespace winnow {
namespace {

/// A narrower column of reasons would be hard to read.
constexpr std::size_t kLeastReason = 24;
/// Between columns, see append_columns().
constexpr std::size_t kGap = 3;

/// The reasons of the first rule that fails on each node, those of most nodes first.
std::string counted_reasons(const Explanation& explanation) {
  std::map<std::string_view, std::size_t> counts;
  for (const NodeExplanation& node : explanation.nodes) {
    const auto first = std::ranges::find(node.filters, false, &FilterEntry::fits);
    if (first == node.filters.end()) continue;
    for (const std::string& reason : first->reasons) ++counts[reason];
    if (first->error) ++counts[*first->error];
  }
  std::vector<std::pair<std::string_view, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &std::pair<std::string_view, std::size_t>::second);
  std::string text;
  for (const auto& [reason, nodes] : sorted)
    text += std::format("{}{} {}", text.empty() ? "" : ", ", with_thousands(nodes), reason);
  return text.empty() ? "there are no nodes" : text;
}

std::string reason_of(const Explanation& explanation) {
  if (explanation.error) return "error: " + *explanation.error;
  if (explanation.feasible > 0) return "fits a node now, and waits for its scheduler";
  return explanation.pre_filter ? *explanation.pre_filter : counted_reasons(explanation);
}

/// "5m12s": the larger unit, and the smaller one if there is some of it.
std::string two_units(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  return small == 0 ? std::format("{}{}", large, large_unit)
                    : std::format("{}{}{}{}", large, large_unit, small, small_unit);
}

/// The text in lines of at most so many columns, broken at blanks.
std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::string broken;
  append_paragraph(broken, printable(text), {.width = width});
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < broken.size();) {
    const std::size_t end = std::min(broken.find('\n', begin), broken.size());
    lines.push_back(broken.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string age_text(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour, kYear = 365 * kDay;
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * kMinute) return std::format("{}s", seconds);
  if (seconds < 10 * kMinute) return two_units(seconds / kMinute, 'm', seconds % kMinute, 's');
  if (seconds < 3 * kHour) return std::format("{}m", seconds / kMinute);
  if (seconds < 8 * kHour) return two_units(seconds / kHour, 'h', seconds % kHour / kMinute, 'm');
  if (seconds < 2 * kDay) return std::format("{}h", seconds / kHour);
  if (seconds < 8 * kDay) return two_units(seconds / kDay, 'd', seconds % kDay / kHour, 'h');
  if (seconds < 2 * kYear) return std::format("{}d", seconds / kDay);
  if (seconds < 8 * kYear) return two_units(seconds / kYear, 'y', seconds % kYear / kDay, 'd');
  return std::format("{}y", seconds / kYear);
}

PendingRow gated_row(const WaitingPod& pod) {
  return {pod.object, pod.created, "-", waits_for_gates(pod.gates), ""};
}

PendingRow unexplained_row(const WaitingPod& pod, const std::string& why) {
  return {pod.object, pod.created, "-", "not explained: " + why, ""};
}

PendingRow explained_row(const WaitingPod& pod, const Explanation& explanation) {
  PendingRow row{pod.object, pod.created, "-", reason_of(explanation), ""};
  if (!explanation.error) row.nodes = std::format("{}/{}", explanation.feasible, explanation.nodes.size());
  for (const CauseSum& cause : explanation.summary)
    row.causes += (row.causes.empty() ? "" : "; ") + cause.text;
  return row;
}

void append_pending_table(std::string& out, std::span<const PendingRow> rows,
                          const PendingTableOptions& options) {
  std::vector<std::vector<std::string>> cells = {{"NAMESPACE", "NAME", "AGE", "NODES", "REASON"}};
  for (const PendingRow& row : rows)
    cells.push_back({row.pod.ns, row.pod.name,
                     row.created ? age_text(options.now - *row.created) : "<unknown>", row.nodes,
                     row.reason});
  if (options.wide) {
    cells.front().push_back("CAUSES");
    for (std::size_t i = 0; i < rows.size(); ++i)
      cells[i + 1].push_back(rows[i].causes.empty() ? "-" : rows[i].causes);
    return append_columns(out, cells);
  }
  std::size_t before = 0;
  for (std::size_t column = 0; column + 1 < cells.front().size(); ++column) {
    std::size_t widest = 0;
    for (const auto& line : cells) widest = std::max(widest, columns(printable(line[column])));
    before += widest + kGap;
  }
  if (options.width < before + kLeastReason) return append_columns(out, cells);
  std::vector<std::vector<std::string>> broken;
  for (std::vector<std::string>& line : cells) {
    const std::vector<std::string> reasons = lines_of(line.back(), options.width - before);
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      broken.push_back(i == 0 ? line : std::vector<std::string>(line.size()));
      broken.back().back() = reasons[i];
    }
  }
  append_columns(out, broken);
}

}  // namespace winnow
