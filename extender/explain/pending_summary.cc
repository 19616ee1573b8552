#include "extender/explain/pending_summary.h"

#include <algorithm>
#include <format>
#include <functional>
#include <string_view>
#include <utility>

#include "extender/explain/explanation.h"
#include "extender/explain/explanation_text.h"

namespace winnow {
namespace {

/// What the pods lack or meet, by the kind of the cause.
std::string_view meets(std::string_view kind) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"taint", "meet a taint that they do not tolerate"},
      {"unschedulable", "meet cordoned nodes"},
      {"condition", "meet nodes that are not ready, or under pressure"},
      {"nodeName", "name another node"},
      {"label", "ask for labels that nodes lack"},
      {"field", "ask for other nodes by name"},
      {"term", "have a node affinity that matches nothing"},
      {"port", "want a host port that is taken"},
      {"spreadLabel", "spread over a label that nodes lack"},
      {"spread", "would make their spread too uneven"},
      {"affinity", "find no pod to be near to"},
      {"anti-affinity", "are kept apart from pods that are there"},
      {"claim", "wait for a claim"},
      {"noVolume", "find no volume"},
      {"attachLimit", "exceed a limit of attached volumes"},
      {"nominated", "wait for room that is kept for others"},
  };
  const auto found = std::ranges::find(kWords, kind, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kWords) ? "are refused" : found->second;
}

/// The cause of most nodes, by the rule that is the first to refuse them.
struct Main {
  std::string rule;
  const Cause* cause = nullptr;
};

Main main_cause(const Explanation& explanation) {
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, const Cause*>> counts;
  for (const NodeExplanation& node : explanation.nodes) {
    const auto first = std::ranges::find(node.filters, false, &FilterEntry::fits);
    if (first == node.filters.end()) continue;
    for (const Cause& cause : first->causes) {
      auto& [nodes, one] = counts[{first->rule, cause.kind + '\0' + cause.text("resource")}];
      ++nodes;
      one = &cause;
    }
  }
  if (counts.empty()) return {};
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second.first; });
  return {most->first.first, most->second.second};
}

}  // namespace

void PendingSummary::add(const Explanation& explanation) {
  ++pods_;
  if (!explanation.gates.empty()) return void(++sums_[{"wait for a scheduling gate", ""}].pods);
  if (explanation.error) return void(++sums_[{"cannot be placed for an error", ""}].pods);
  if (explanation.feasible > 0) return void(++sums_[{"fit somewhere", ""}].pods);
  const Main found = main_cause(explanation);
  if (found.cause == nullptr) return void(++sums_[{"are refused", ""}].pods);
  const bool lacks = found.cause->kind == "resource";
  const std::string resource = lacks ? found.cause->text("resource") : "";
  const std::string what = lacks ? "lack " + (resource == "pods" ? "room for pods" : resource)
                                 : std::string(meets(found.cause->kind));
  Sum& sum = sums_[{std::format("{} ({})", what, found.rule), resource}];
  ++sum.pods;
  if (lacks) sum.wanted += Quantity::parse(found.cause->text("wanted")).value_or(Quantity());
}

std::vector<std::string> PendingSummary::lines() const {
  std::vector<std::pair<std::size_t, std::string>> all;
  for (const auto& [what, sum] : sums_) {
    const auto& [text, resource] = what;
    std::string line = std::format("{} of {} that {}", with_thousands(sum.pods), count_pods(pods_),
                                   pods_ == 1 ? "waits " : "wait ") +
                       text;
    if (!resource.empty() && resource != "pods")
      line += std::format(": {} {} in all", quantity_text(sum.wanted), resource);
    all.emplace_back(sum.pods, std::move(line));
  }
  std::ranges::stable_sort(all, std::greater(), &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> lines;
  for (auto& [pods, line] : all) lines.push_back(std::move(line));
  return lines;
}

}  // namespace winnow
