#include "extender/explain/table.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cluster/text/printable.h"
#include "extender/explain/failures.h"
#include "extender/explain/matrix.h"
#include "extender/explain/outlook.h"
#include "extender/explain/terminal_width.h"
#include "extender/explain/text.h"

namespace winnow {
namespace {

constexpr std::size_t kListLines = 2;
constexpr std::size_t kMaxGroups = 12;
constexpr std::size_t kMaxBehind = 3;

std::string_view style(const TableOptions& options, std::string_view code) {
  return options.colour ? code : kPlain;
}

std::size_t count_fitting(const Explanation& explanation) {
  return static_cast<std::size_t>(std::ranges::count(explanation.nodes, true, &NodeExplanation::fits));
}

std::string eviction(const FailureGroup& group) {
  if (group.evictable == 0) return "eviction cannot help";
  if (group.evictable == group.nodes.size()) return "eviction might help";
  return "eviction might help on " + with_thousands(group.evictable) + " of them";
}

std::string failing_behind(const FailureGroup& group) {
  std::string text;
  for (std::size_t i = 0; i < std::min(group.behind.size(), kMaxBehind); ++i) {
    const auto& [rule, count] = group.behind[i];
    text += (i == 0 ? "also fails " : ", ") + printable(rule);
    if (count != group.nodes.size()) text += " (" + with_thousands(count) + " of them)";
  }
  if (group.behind.size() > kMaxBehind) text += ", …";
  return text;
}

// The second line of a group: the further failures once the first reason is gone, and whether eviction helps.
std::string prospects(const FailureGroup& group) {
  if (group.error || group.rule.empty()) return failing_behind(group);
  const std::string behind = failing_behind(group);
  return behind.empty() ? eviction(group) : behind + "; " + eviction(group);
}

void append_names(std::string& out, const std::vector<std::string_view>& nodes, std::size_t indent,
                  const TableOptions& options) {
  std::vector<std::string> clean;
  clean.reserve(nodes.size());
  for (const std::string_view node : nodes) clean.push_back(printable(node));
  const std::string blanks(indent, ' ');
  append_list(
      out, {clean.begin(), clean.end()}, options.all_nodes ? 0 : kListLines,
      {.width = line_width(options), .prefix = blanks, .indent = indent, .style = style(options, kDim)});
}

void append_group(std::string& out, const FailureGroup& group, std::size_t count_width,
                  const TableOptions& options) {
  std::string prefix = count_nodes(group.nodes.size());
  prefix.insert(0, count_width - columns(with_thousands(group.nodes.size())), ' ');
  prefix.insert(0, "  ");
  const std::size_t indent = count_width + 10;  // "  ", " nodes", "  "
  prefix.resize(indent, ' ');
  const std::size_t width = line_width(options);
  std::string text = group.rule.empty() ? group.reason : group.rule + ": " + (group.error ? "error: " : "");
  if (!group.rule.empty()) text += group.reason;
  append_paragraph(out, printable(text),
                   {.width = width,
                    .prefix = prefix,
                    .indent = indent,
                    .style = style(options, group.error ? kRed : kYellow)});
  const std::string blanks(indent, ' ');
  if (const std::string more = prospects(group); !more.empty()) {
    append_paragraph(out, more, {.width = width, .prefix = blanks, .indent = indent});
  }
  append_names(out, group.nodes, indent, options);
}

void append_failures(std::string& out, const Explanation& explanation, std::size_t refused,
                     const TableOptions& options) {
  const Setting heading{.width = line_width(options), .style = style(options, kBold)};
  append_paragraph(
      out,
      count_nodes(refused) + (refused == 1 ? " does" : " do") + " not fit, by the first rule that fails:",
      heading);
  const std::vector<FailureGroup> groups = group_failures(explanation);
  const std::size_t count_width = columns(with_thousands(groups.front().nodes.size()));
  const bool all = options.all_nodes || groups.size() <= kMaxGroups + 1;
  std::size_t hidden = refused;
  for (std::size_t i = 0; i < (all ? groups.size() : kMaxGroups); ++i) {
    append_group(out, groups[i], count_width, options);
    hidden -= groups[i].nodes.size();
  }
  if (hidden == 0) return;
  append_paragraph(out,
                   "… and " + count_nodes(hidden) + " more, for " +
                       with_thousands(groups.size() - kMaxGroups) + " other reasons",
                   {.width = heading.width, .prefix = "  ", .indent = 2});
}

// The node that the pod would get.
std::string destination(const Explanation& explanation) {
  if (!explanation.selected) return "";
  if (!explanation.node) return " → " + *explanation.selected;
  if (explanation.node == explanation.selected) return "; asked anew it would go there again";
  return "; asked anew it would go to " + *explanation.selected;
}

// After an error, nodes can fit every rule and have no scores.
void append_unscored(std::string& out, const Explanation& explanation, const TableOptions& options) {
  std::vector<std::string_view> names;
  for (const NodeExplanation& node : explanation.nodes) {
    if (node.fits) names.push_back(node.name);
  }
  append_paragraph(out, "Nodes that every rule accepts, but for the error:",
                   {.width = line_width(options), .style = style(options, kBold)});
  append_names(out, names, 2, options);
}

}  // namespace

void append_headline(std::string& out, const Explanation& explanation, const TableOptions& options) {
  const std::size_t fitting = count_fitting(explanation);
  std::string text = explanation.pod;
  std::string_view code = kRed;
  if (explanation.node) text += " is on " + *explanation.node;
  if (explanation.error) {
    text += ": error: " + *explanation.error;
  } else if (fitting == 0) {
    if (explanation.node) text += "; asked anew it would fit nowhere now";
    text += ": " + fit_error(explanation, options.every_failure);
  } else {
    code = kBold;
    text += destination(explanation);
    text += " (" + with_thousands(fitting) + " of " + count_nodes(explanation.nodes.size()) +
            (fitting == 1 ? " fits)" : " fit)");
  }
  append_paragraph(out, printable(text),
                   {.width = line_width(options), .indent = 2, .style = style(options, code)});
}

void append_table(std::string& out, const Explanation& explanation, const TableOptions& options) {
  append_headline(out, explanation, options);
  if (!explanation.gates.empty())
    append_paragraph(out, printable("It " + waits_for_gates(explanation.gates) + "."),
                     {.width = line_width(options), .prefix = "  ", .indent = 4});
  append_outlook(out, explanation, options);
  const std::size_t fitting = count_fitting(explanation);
  if (fitting > 0) {
    out += '\n';
    if (explanation.error) {
      append_unscored(out, explanation, options);
    } else {
      append_matrix(out, explanation, options);
    }
  }
  if (fitting == explanation.nodes.size()) return;
  out += '\n';
  append_failures(out, explanation, explanation.nodes.size() - fitting, options);
}

}  // namespace winnow
