#include "extender/explain/table.h"

#include <algorithm>
#include <format>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/devices_json.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/matrix.h"
#include "extender/explain/suggestion_text.h"

namespace winnow {
namespace {

/// The most victims that are named, unless all nodes are shown.
constexpr std::size_t kMaxVictims = 8;

/// The most held places that are named, unless all nodes are shown.
constexpr std::size_t kMaxHeld = 4;

std::string refusal(const RefusalEntry& refused) {
  std::string text = refused.times == 1
                         ? std::format("Refused {:.1f} s ago.", refused.seconds)
                         : std::format("Refused {} times in a row, the last time {:.1f} s ago.",
                                       refused.times, refused.seconds);
  if (refused.would_fit_on)
    text += std::format(" For {:.1f} s it would have fitted on {}.", refused.would_fit_seconds,
                        *refused.would_fit_on);
  return text;
}

std::string victims(const PreemptionPreview& preview, bool all) {
  std::string text;
  const std::size_t count = preview.victims.size();
  const std::size_t shown = all || count <= kMaxVictims + 1 ? count : kMaxVictims;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + preview.victims[i];
  if (shown < count) text += std::format(" and {} more", with_thousands(count - shown));
  return text;
}

std::string preemption(const PreemptionPreview& preview, bool all) {
  // In the words that kube-scheduler writes into the pod's events.
  std::string text = "preemption: " + preview.message;
  if (!preview.node.empty()) {
    text = std::format("preemption: by these rules it would evict {} on {}", victims(preview, all),
                       preview.node);
    if (preview.violations > 0)
      text += std::format(", {} of them against a disruption budget",
                          with_thousands(static_cast<std::size_t>(preview.violations)));
  }
  if (preview.judged < preview.candidates)
    text += std::format(" ({} of {} were asked about)", with_thousands(preview.judged),
                        count_nodes(preview.candidates));
  if (preview.in_vain) text.append("; ").append(kInVainNote);
  return text;
}

}  // namespace

std::string waits_for_gates(const std::vector<std::string>& gates) {
  std::string text = "waits for its scheduling gates: ";
  for (const std::string& gate : gates) text += (&gate == &gates.front() ? "" : ", ") + gate;
  return text;
}

void append_outlook(std::string& out, const Explanation& explanation, const TableOptions& options) {
  const auto say = [&](const std::string& text) {
    append_paragraph(out, printable(options.names.in(text)),
                     {.width = line_width(options), .prefix = "  ", .indent = 4});
  };
  for (const std::string& what : explanation.not_judged) say("not judged: " + what);
  for (const std::string& remark : explanation.remarks) say("note: " + remark);
  const auto selected =
      std::ranges::find(explanation.nodes, explanation.selected.value_or(""), &NodeExplanation::name);
  if (selected != explanation.nodes.end())
    for (const ClaimedDevices& claim : selected->devices) say("Devices there: " + to_text(claim) + ".");
  if (explanation.assumed) say("On its way to " + *explanation.assumed + ".");
  if (explanation.nominated)
    say("Nominated for " + *explanation.nominated +
        (explanation.nominated_by ? " by " + *explanation.nominated_by : "") + ".");
  if (explanation.not_nominated) say("Not nominated: " + *explanation.not_nominated + ".");
  if (explanation.refused) say(refusal(*explanation.refused));
  const std::size_t held = options.all_nodes ? explanation.held.size() : kMaxHeld;
  for (const HeldPlace& place : explanation.held | std::views::take(held))
    say("Held: " + to_text(place) + ".");
  if (explanation.held.size() > held)
    say(std::format("Held: {} more places.", with_thousands(explanation.held.size() - held)));
  if (explanation.preemption) say(preemption(*explanation.preemption, options.all_nodes));
}

namespace {

constexpr std::size_t kListLines = 2;
constexpr std::size_t kMaxGroups = 12;
constexpr std::size_t kMaxBehind = 3;
constexpr std::size_t kMaxCauses = 5;

std::string_view style(const TableOptions& options, std::string_view code) {
  return options.colour ? code : kPlain;
}

std::size_t count_fitting(const Explanation& explanation) {
  return static_cast<std::size_t>(std::ranges::count(explanation.nodes, true, &NodeExplanation::fits));
}

std::string eviction(const Explanation& explanation, const FailureGroup& group) {
  if (group.evictable == 0) return "eviction cannot help";
  const auto& preview = explanation.preemption;
  if (preview && preview->node.empty() && preview->judged == preview->candidates)
    return "eviction might help, but nobody would be evicted: see preemption";
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
std::string prospects(const Explanation& explanation, const FailureGroup& group) {
  const std::string behind = failing_behind(group);
  if (group.error || group.rule.empty()) return behind;
  return (behind.empty() ? "" : behind + "; ") + eviction(explanation, group);
}

void append_names(std::string& out, const std::vector<const NodeExplanation*>& nodes, std::size_t indent,
                  const TableOptions& options) {
  std::vector<std::string> clean;
  clean.reserve(nodes.size());
  for (const NodeExplanation* const node : nodes) clean.push_back(printable(options.names.of(node->name)));
  const std::string blanks(indent, ' ');
  append_list(
      out, {clean.begin(), clean.end()}, options.all_nodes ? 0 : kListLines,
      {.width = line_width(options), .prefix = blanks, .indent = indent, .style = style(options, kDim)});
}

/// Whether the causes of all rules are told: for a pod that fits nowhere, those of the nearest nodes.
bool tells_all_rules(const Explanation& explanation, const FailureGroup& group) {
  return explanation.feasible == 0 && !explanation.pre_filter && !group.nearest.empty();
}

/// What is missing, by how much, and who holds it: a line for each cause.
void append_causes(std::string& out, const Explanation& explanation, const FailureGroup& group,
                   std::size_t indent, const TableOptions& options) {
  std::vector<CauseSum> sums = sum_causes(group);
  if (tells_all_rules(explanation, group))
    for (CauseSum& sum : sum_behind(group)) {
      sum.text = std::format("{}: {}", sum.rule, sum.text);
      sums.push_back(std::move(sum));
    }
  const std::size_t shown = options.all_nodes || sums.size() <= kMaxCauses + 1 ? sums.size() : kMaxCauses;
  const std::string blanks(indent, ' ');
  const Setting setting{.width = line_width(options), .prefix = blanks, .indent = indent + 2};
  for (const CauseSum& sum : sums | std::views::take(shown)) {
    const std::string some = sum.nodes == group.nodes.size() ? "" : with_thousands(sum.nodes) + " of them: ";
    const std::string also = sum.rule == group.rule ? "" : "also ";
    append_paragraph(out, printable(some + also + options.names.in(sum.text)), setting);
  }
  if (shown < sums.size())
    append_paragraph(out, std::format("… and {} other causes", with_thousands(sums.size() - shown)), setting);
}

void append_group(std::string& out, const Explanation& explanation, const FailureGroup& group,
                  std::size_t count_width, const TableOptions& options) {
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
  append_causes(out, explanation, group, indent, options);
  const std::string blanks(indent, ' ');
  if (const std::string more = prospects(explanation, group); !more.empty()) {
    append_paragraph(out, more, {.width = width, .prefix = blanks, .indent = indent});
  }
  append_names(out, group.nodes, indent, options);
}

/// The groups that are not told in full: how many nodes each rule refuses.
void append_others(std::string& out, std::span<const FailureGroup> groups, const TableOptions& options) {
  std::size_t nodes = 0;
  std::vector<std::pair<std::string, std::size_t>> by_rule;
  for (const FailureGroup& group : groups) {
    nodes += group.nodes.size();
    const std::string rule = group.rule.empty() ? group.reason : group.rule;
    const auto known = std::ranges::find(by_rule, rule, [](const auto& one) { return one.first; });
    if (known == by_rule.end())
      by_rule.emplace_back(rule, group.nodes.size());
    else
      known->second += group.nodes.size();
  }
  std::string text = count_nodes(nodes) + (nodes == 1 ? " is" : " are") + " farther from taking it:";
  for (const auto& [rule, count] : by_rule)
    text += std::format("{} {} {}", &rule == &by_rule.front().first ? "" : ",", with_thousands(count), rule);
  append_paragraph(out, printable(text), {.width = line_width(options), .prefix = "  ", .indent = 4});
}

void append_failures(std::string& out, const Explanation& explanation, std::size_t refused,
                     const TableOptions& options) {
  const Setting heading{.width = line_width(options), .style = style(options, kBold)};
  append_paragraph(
      out,
      count_nodes(refused) + (refused == 1 ? " does" : " do") + " not fit, by the first rule that fails:",
      heading);
  const std::vector<FailureGroup> groups = group_failures(explanation);
  const std::size_t most = std::ranges::max(
      groups | std::views::transform([](const FailureGroup& group) { return group.nodes.size(); }));
  const std::size_t count_width = columns(with_thousands(most));
  if (options.brief && !options.all_nodes && explanation.feasible == 0 && !groups.front().nearest.empty()) {
    const auto far =
        std::ranges::find_if(groups, [](const FailureGroup& group) { return group.nearest.empty(); });
    for (auto group = groups.begin(); group != far; ++group)
      append_group(out, explanation, *group, count_width, options);
    if (far != groups.end()) append_others(out, {far, groups.end()}, options);
    return;
  }
  const bool all = options.all_nodes || groups.size() <= kMaxGroups + 1;
  std::size_t hidden = refused;
  for (std::size_t i = 0; i < (all ? groups.size() : kMaxGroups); ++i) {
    append_group(out, explanation, groups[i], count_width, options);
    hidden -= groups[i].nodes.size();
  }
  if (hidden == 0) return;
  append_paragraph(out,
                   "… and " + count_nodes(hidden) + " more, for " +
                       with_thousands(groups.size() - kMaxGroups) + " other reasons",
                   {.width = heading.width, .prefix = "  ", .indent = 2});
}

}  // namespace

void append_help(std::string& out, const Help& help, const TableOptions& options) {
  const std::string heading = heading_of(help);
  if (heading.empty()) return;
  const Setting setting{.width = line_width(options), .prefix = "  ", .indent = 4};
  out += '\n';
  append_paragraph(out, heading, {.width = setting.width, .style = style(options, kBold)});
  for (const Suggestion& one : help.suggestions)
    append_paragraph(out, printable(options.names.in(to_text(one))), setting);
  if (help.no_new_node)
    append_paragraph(out, printable(options.names.in(to_text(*help.no_new_node))), setting);
}

namespace {

// The node that the pod would get.
std::string destination(const Explanation& explanation) {
  if (!explanation.selected) return "";
  if (!explanation.node) return " → " + *explanation.selected;
  if (explanation.node == explanation.selected) return "; asked anew it would go there again";
  const std::string there = "; asked anew it would go to " + *explanation.selected;
  const auto total = [&](const std::string& name) {
    const auto found = std::ranges::find(explanation.nodes, name, &NodeExplanation::name);
    return found != explanation.nodes.end() && found->fits && found->scored ? std::optional(found->total)
                                                                            : std::nullopt;
  };
  const auto here = total(*explanation.node);
  return here && here == total(*explanation.selected) ? there + ", or stay: the two are as good" : there;
}

// After an error, nodes can fit every rule and have no scores.
void append_unscored(std::string& out, const Explanation& explanation, const TableOptions& options) {
  std::vector<const NodeExplanation*> nodes;
  for (const NodeExplanation& node : explanation.nodes)
    if (node.fits) nodes.push_back(&node);
  append_paragraph(out, "Nodes that every rule accepts, but for the error:",
                   {.width = line_width(options), .style = style(options, kBold)});
  append_names(out, nodes, 2, options);
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
  TableOptions shown = options;
  shown.names = names_of(explanation.nodes);
  append_headline(out, explanation, shown);
  if (!explanation.gates.empty())
    append_paragraph(out, printable("It " + waits_for_gates(explanation.gates) + "."),
                     {.width = line_width(shown), .prefix = "  ", .indent = 4});
  append_outlook(out, explanation, shown);
  const std::size_t fitting = count_fitting(explanation);
  if (fitting > 0) {
    out += '\n';
    if (explanation.error) {
      append_unscored(out, explanation, shown);
    } else {
      append_matrix(out, explanation, shown);
    }
  }
  if (fitting < explanation.nodes.size()) {
    out += '\n';
    append_failures(out, explanation, explanation.nodes.size() - fitting, shown);
  }
  append_help(out, explanation.help, shown);
  if (const std::string note = shown.names.note(); !note.empty())
    append_paragraph(out, printable(note), {.width = line_width(shown), .style = style(shown, kDim)});
  if (explanation.rules.empty()) return;
  append_styled(out, "By the rules of " + printable(explanation.rules) + ".", style(shown, kDim));
  out += '\n';
}

}  // namespace winnow
