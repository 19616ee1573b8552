#include "extender/cli/kubectl/pending_list.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <tuple>
#include <utility>

#include "cluster/api/decoders.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/words.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/pending_summary.h"
#include "extender/explain/table.h"

namespace winnow {
namespace {

/// For a pod with gates it is said after them.
std::string where_it_fits(const Explanation& it, const NodeNames& names) {
  const auto fitting = static_cast<std::size_t>(std::ranges::count(it.nodes, true, &NodeExplanation::fits));
  std::string text = it.gates.empty() || it.error ? it.pod : "Without them it";
  if (it.node) text += " is on " + *it.node + ", and asked anew";
  if (it.error) return text + ": error: " + *it.error + ".";
  if (fitting == 0) return text + std::format(" fits none of {}.", count_nodes(it.nodes.size()));
  text += std::format(" fits {} of {}", with_thousands(fitting), count_nodes(it.nodes.size()));
  const auto best =
      std::ranges::find_if(it.nodes, [&](const NodeExplanation& node) { return node.name == it.selected; });
  if (best == it.nodes.end()) return text + ".";
  text += "; the best is " + names.of(best->name);
  return text + (best->scored ? std::format(", with a score of {}.", best->total) : ".");
}

std::string sentence_of(const Explanation& explanation, const FailureGroup& group) {
  std::string text = count_nodes(group.nodes.size()) + ": " + group.reason;
  if (!text.ends_with('.')) text += '.';
  if (group.error || group.rule.empty()) return text;
  if (group.evictable == 0) return text + " Evictions cannot help.";
  const auto& preview = explanation.preemption;
  if (preview && preview->node.empty() && preview->judged == preview->candidates)
    return text + " Evictions might help, but nobody would be evicted.";
  if (group.evictable == group.nodes.size()) return text + " Evictions might help.";
  return text + std::format(" Evictions might help on {} of them.", with_thousands(group.evictable));
}

void append_gates(std::string& out, const std::vector<std::string>& gates) {
  if (gates.empty()) return;
  out += R"(,"gates":)";
  char before = '[';
  for (const std::string& gate : gates) {
    out += std::exchange(before, ',');
    append_quoted(out, gate);
  }
  out += ']';
}

}  // namespace

namespace {

/// More causes of one reason are not told: `explain` has them.
constexpr std::size_t kMostCauses = 4;

/// What the nodes of a group lack, those nearest to taking the pod first; of these by all rules.
std::vector<CauseSum> causes_of(const Explanation& explanation, const FailureGroup& group) {
  std::vector<CauseSum> sums = sum_causes(group);
  if (sums.size() > kMostCauses) sums.resize(kMostCauses);
  if (explanation.feasible > 0 || explanation.pre_filter) return sums;
  for (CauseSum& sum : sum_behind(group)) sums.push_back(std::move(sum));
  return sums;
}

std::string cause_line(const CauseSum& sum, const FailureGroup& group) {
  std::string line = sum.nodes == group.nodes.size() ? "" : with_thousands(sum.nodes) + " of them: ";
  if (sum.rule != group.rule) line += "also " + sum.rule + ": ";
  return line + sum.text;
}

}  // namespace

void append_why(std::string& out, const Explanation& explanation, const NodeNames& names, std::size_t width) {
  const auto say = [&](std::string_view prefix, const std::string& text) {
    append_paragraph(out, printable(text), {.width = width, .prefix = prefix, .indent = prefix.size() + 2});
  };
  if (!explanation.gates.empty()) say("", explanation.pod + ' ' + waits_for_gates(explanation.gates) + '.');
  say("", where_it_fits(explanation, names));
  for (const FailureGroup& group : group_failures(explanation)) {
    say("  ", sentence_of(explanation, group));
    for (const CauseSum& sum : causes_of(explanation, group)) say("    ", names.in(cause_line(sum, group)));
  }
  const TableOptions options{.width = static_cast<int>(width), .names = names};
  append_outlook(out, explanation, options);
  append_help(out, explanation.help, options);
  if (!names.note().empty()) say("", names.note());
}

void append_why_json(std::string& out, const Explanation& explanation) {
  const auto text = [&](const char* key, const std::optional<std::string>& value) {
    if (!value) return;
    out += std::format(",\"{}\":", key);
    append_quoted(out, *value);
  };
  out += R"({"pod":)";
  append_quoted(out, explanation.pod);
  out += std::format(R"(,"nodes":{},"feasible":{})", explanation.nodes.size(), explanation.feasible);
  text("selected", explanation.selected);
  text("error", explanation.error);
  text("node", explanation.node);
  append_gates(out, explanation.gates);
  out += R"(,"reasons":[)";
  bool first = true;
  for (const FailureGroup& group : group_failures(explanation)) {
    out += std::format(R"({}{{"nodes":{},"rule":)", first ? "" : ",", group.nodes.size());
    append_quoted(out, group.rule);
    out += R"(,"reason":)";
    append_quoted(out, group.reason);
    out += std::format(R"(,"evictionMightHelp":{},"causes":[)", group.evictable);
    for (const CauseSum& sum : causes_of(explanation, group)) {
      if (!out.ends_with('[')) out += ',';
      out += std::format(R"({{"nodes":{},"rule":)", sum.nodes);
      append_quoted(out, sum.rule);
      append_quoted(out += R"(,"text":)", sum.text);
      out += '}';
    }
    out += "]}";
    first = false;
  }
  out += ']';
  append_prospects(out, explanation);
  out += "}\n";
}

namespace {

struct Gate {
  std::string name;
};

bool read_fields(const Reader& reader, Gate& gate) { return reader.read("name", gate.name); }

struct ListedPod {
  WaitingPod pod;
  bool waits = true;
};

bool read_fields(const Reader& reader, ListedPod& listed) {
  std::vector<Gate> gates;
  std::string node, phase;
  std::optional<Time> created;
  const bool good = reader.within("metadata", [&](const Reader& metadata) {
    listed.waits = !metadata.has("deletionTimestamp");
    return metadata.read("namespace", listed.pod.object.ns) &&
           metadata.read("name", listed.pod.object.name) && metadata.read("creationTimestamp", created);
  }) && reader.within("spec", [&](const Reader& spec) {
    return spec.read("nodeName", node) && spec.read("schedulingGates", gates);
  }) && reader.within("status", [&](const Reader& status) { return status.read("phase", phase); });
  if (created) listed.pod.created = created->seconds;
  for (const Gate& gate : gates) listed.pod.gates.push_back(gate.name);
  listed.waits = listed.waits && node.empty() && phase != "Succeeded" && phase != "Failed";
  return good;
}

}  // namespace

std::expected<std::vector<WaitingPod>, std::string> read_waiting(std::string list) {
  std::vector<ListedPod> listed;
  const auto document = load_document(std::move(list));
  if (!document) return std::unexpected(document.error().text());
  std::string error;
  const Reader root(document->root(), nullptr, error);
  if (!root.expect_object() || !root.read("items", listed)) return std::unexpected(std::move(error));
  if (!root.value().HasMember("items")) return std::unexpected("items is missing");
  std::vector<WaitingPod> waiting;
  for (ListedPod& one : listed)
    if (one.waits && !one.pod.object.name.empty()) waiting.push_back(std::move(one.pod));
  return waiting;
}

void PendingGroups::put(const ObjectName& pod, const std::string& key, const std::string& reason) {
  auto found = std::ranges::find(keys_, key);
  if (found == keys_.end()) {
    keys_.push_back(key);
    groups_.push_back({.reason = reason, .pods = {}});
    found = keys_.end() - 1;
  }
  groups_[static_cast<std::size_t>(found - keys_.begin())].pods.push_back(pod);
}

void PendingGroups::add_gated(const WaitingPod& pod) {
  const std::string reason = waits_for_gates(pod.gates);
  put(pod.object, reason, reason);
}

void PendingGroups::add_unknown(const ObjectName& pod, const std::string& why) {
  put(pod, "?" + why, "not explained: " + why);
}

void PendingGroups::add(const ObjectName& pod, const Explanation& explanation) {
  if (explanation.error) return put(pod, "!" + *explanation.error, "error: " + *explanation.error);
  if (explanation.feasible > 0) return put(pod, "+", "fits a node now, and waits for its scheduler");
  std::vector<std::string> reasons;
  for (const FailureGroup& group : group_failures(explanation))
    if (!std::ranges::contains(reasons, group.reason)) reasons.push_back(group.reason);
  if (reasons.empty()) reasons.push_back("there are no nodes");
  std::vector<std::string> sorted = reasons;
  std::ranges::sort(sorted);
  put(pod, "-" + joined(sorted), joined(reasons));
}

std::vector<PendingGroup> PendingGroups::take() {
  for (PendingGroup& group : groups_)
    std::ranges::sort(group.pods, {}, [](const ObjectName& pod) { return std::tie(pod.ns, pod.name); });
  std::ranges::stable_sort(groups_, std::ranges::greater{},
                           [](const PendingGroup& group) { return group.pods.size(); });
  return std::move(groups_);
}

void append_pending_json(std::string& out, const std::vector<PendingGroup>& groups,
                         const std::vector<PendingSum>& summary, std::size_t left_out) {
  out += R"({"groups":[)";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    out += i > 0 ? R"(,{"reason":)" : R"({"reason":)";
    append_quoted(out, groups[i].reason);
    out += R"(,"pods":[)";
    for (std::size_t j = 0; j < groups[i].pods.size(); ++j) {
      if (j > 0) out += ',';
      append_quoted(out, groups[i].pods[j].ns + '/' + groups[i].pods[j].name);
    }
    out += "]}";
  }
  out += R"(],"summary":[)";
  for (std::size_t i = 0; i < summary.size(); ++i) {
    out += std::format(R"({}{{"pods":{},"text":)", i > 0 ? "," : "", summary[i].pods);
    append_quoted(out, summary[i].text);
    out += '}';
  }
  out += std::format(R"(],"notAsked":{}}})", left_out) + '\n';
}

}  // namespace winnow
