#include "extender/cli/kubectl/pending_list.h"

#include <algorithm>
#include <format>
#include <tuple>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/table.h"

namespace winnow {
namespace {

/// For a pod with gates it is said after them.
std::string where_it_fits(const Explanation& it) {
  const auto fitting = static_cast<std::size_t>(std::ranges::count(it.nodes, true, &NodeExplanation::fits));
  std::string text = it.gates.empty() || it.error ? it.pod : "Without them it";
  if (it.node) text += " is on " + *it.node + ", and asked anew";
  if (it.error) return text + ": error: " + *it.error + ".";
  if (fitting == 0) return text + std::format(" fits none of {}.", count_nodes(it.nodes.size()));
  text += std::format(" fits {} of {}", with_thousands(fitting), count_nodes(it.nodes.size()));
  const auto best =
      std::ranges::find_if(it.nodes, [&](const NodeExplanation& node) { return node.name == it.selected; });
  if (best == it.nodes.end()) return text + ".";
  text += "; the best is " + best->name;
  return text + (best->scored ? std::format(", with a score of {}.", best->total) : ".");
}

std::string sentence_of(const FailureGroup& group) {
  std::string text = count_nodes(group.nodes.size()) + ": " + group.reason;
  if (!text.ends_with('.')) text += '.';
  if (group.error || group.rule.empty()) return text;
  if (group.evictable == 0) return text + " Evictions cannot help.";
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

void append_why(std::string& out, const Explanation& explanation) {
  if (!explanation.gates.empty())
    out += printable(explanation.pod + ' ' + waits_for_gates(explanation.gates) + '.') + '\n';
  out += printable(where_it_fits(explanation)) + '\n';
  for (const FailureGroup& group : group_failures(explanation))
    out += "  " + printable(sentence_of(group)) + '\n';
  append_outlook(out, explanation, {.width = 0});
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
    out += std::format(R"(,"evictionMightHelp":{}}})", group.evictable);
    first = false;
  }
  out += ']';
  append_held_places(out, explanation.held);
  out += "}\n";
}

namespace {

/// Pods that a group names in the table.
constexpr std::size_t kNamed = 5;

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
  const bool good = reader.within("metadata", [&](const Reader& metadata) {
    listed.waits = !metadata.has("deletionTimestamp");
    return metadata.read("namespace", listed.pod.object.ns) && metadata.read("name", listed.pod.object.name);
  }) && reader.within("spec", [&](const Reader& spec) {
    return spec.read("nodeName", node) && spec.read("schedulingGates", gates);
  }) && reader.within("status", [&](const Reader& status) { return status.read("phase", phase); });
  for (const Gate& gate : gates) listed.pod.gates.push_back(gate.name);
  listed.waits = listed.waits && node.empty() && phase != "Succeeded" && phase != "Failed";
  return good;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
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

namespace {

void append_pending_json(std::string& out, const std::vector<PendingGroup>& groups, std::size_t left_out) {
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
  out += std::format(R"(],"notAsked":{}}})", left_out) + '\n';
}

}  // namespace

void append_pending(std::string& out, const std::vector<PendingGroup>& groups, std::size_t left_out,
                    OutputForm form) {
  if (form == OutputForm::kJson) return append_pending_json(out, groups, left_out);
  if (form == OutputForm::kName) {
    for (const PendingGroup& group : groups)
      for (const ObjectName& pod : group.pods) out += "pod/" + printable(pod.name) + '\n';
    return;
  }
  for (const PendingGroup& group : groups) {
    const std::size_t count = group.pods.size();
    const std::size_t shown = form == OutputForm::kWide || count <= kNamed + 1 ? count : kNamed;
    out += std::format("{} {}: {}\n", count, count == 1 ? "pod" : "pods", printable(group.reason));
    for (std::size_t i = 0; i < shown; ++i)
      out += "  " + printable(group.pods[i].ns + '/' + group.pods[i].name) + '\n';
    if (shown < count) out += std::format("  … and {} more\n", count - shown);
  }
  if (left_out > 0)
    out += std::format("{} pods more were not asked about; choose a namespace by -n\n", left_out);
}

}  // namespace winnow
