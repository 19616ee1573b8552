#include "extender/service/page/pod_page.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <format>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation.h"

namespace winnow {
std::expected<std::string, std::string> pod_as_json(std::string text, FunctionRef<void()> look) {
  const auto document = load_document(std::move(text), look);
  if (!document) return std::unexpected(document.error().text());
  const rapidjson::Value& root = document->root();
  if (!root.IsObject()) return std::unexpected("expected a Pod, as kubectl get pod -o yaml writes it");
  if (const auto kind = root.FindMember("kind"); kind != root.MemberEnd())
    if (!kind->value.IsString() || std::string_view(kind->value.GetString()) != "Pod")
      return std::unexpected("kind: expected Pod");
  std::string json;
  append_value(json, root);
  return json;
}

namespace {

/// The most bytes of failures, and of the message. Where nodes differ in why they refuse, there are as
/// many reasons as nodes.
constexpr std::size_t kTextBytes = 20'000;
/// The most causes of a group of nodes.
constexpr std::size_t kMostCauses = 8;
constexpr std::size_t kMostHeldPlaces = 20;

/// The places of groups of refusals, by node: nodes that refuse alike stand together.
std::vector<std::size_t> ranks_of(const std::vector<NodeExplanation>& nodes,
                                  const std::vector<FailureGroup>& groups) {
  std::vector<std::size_t> ranks(nodes.size(), 0);
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const NodeExplanation* const node : groups[i].nodes)
      ranks[static_cast<std::size_t>(node - nodes.data())] = i;
  return ranks;
}

/// The order of a page: nodes that fit by their score, then the others by what refuses them.
struct PageKey {
  bool refused;
  std::int64_t less_score, less_total;
  std::size_t rank;
  std::size_t place;  ///< In the explanation, which has the nodes by name.

  auto operator<=>(const PageKey&) const = default;
};

/// @return the place of the first node that is left, and how many match.
std::pair<std::size_t, std::size_t> keep_page(std::vector<NodeExplanation>& nodes, const NodePage& page,
                                              const std::vector<std::size_t>& ranks,
                                              const Explainer* explainer) {
  const auto score_of = [&](const NodeExplanation& node) {
    return page.by.empty() || !explainer ? node.total : explainer->weighted_score(page.by, node);
  };
  std::vector<PageKey> keys;
  keys.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const NodeExplanation& node = nodes[i]; page.match.empty() || node.name.contains(page.match))
      keys.push_back({!node.fits, node.fits ? -score_of(node) : 0, -node.total, node.fits ? 0 : ranks[i], i});
  const std::size_t count = keys.size(), from = std::min(page.from, count);
  const std::size_t end = from + std::min(page.limit, count - from);
  std::ranges::partial_sort(keys, keys.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<NodeExplanation> kept;
  for (std::size_t i = from; i < end; ++i) kept.push_back(std::move(nodes[keys[i].place]));
  nodes = std::move(kept);
  return {from, count};
}

/// @param more  gets the number of nodes in groups that do not fit.
std::string failures_json(const std::vector<FailureGroup>& groups, std::size_t& more) {
  std::string out = "[";
  for (const FailureGroup& group : groups) {
    if (out.size() >= kTextBytes) {
      more += group.nodes.size();
      continue;
    }
    out += out.size() == 1 ? "{\"rule\":" : ",{\"rule\":";
    append_quoted(out, group.rule);
    out += ",\"reason\":";
    append_quoted(out, utf8_shortened(group.reason, kTextBytes));
    out += std::format(",\"nodes\":{},\"evictable\":{},\"causes\":[", group.nodes.size(), group.evictable);
    const std::vector<CauseSum> causes = sum_causes(group);
    for (std::size_t i = 0; i < std::min(causes.size(), kMostCauses); ++i) {
      if (i > 0) out += ',';
      append_quoted(out, utf8_shortened(causes[i].text, kTextBytes));
    }
    out += "]}";
  }
  return out + "]";
}

/// Appends the causes of the node's refusals, by rule.
void append_causes(std::string& out, const NodeExplanation& node) {
  out += '{';
  for (const FilterEntry& entry : node.filters) {
    if (entry.causes.empty()) continue;
    if (!out.ends_with('{')) out += ',';
    append_quoted(out, entry.rule);
    out += ":[";
    for (std::size_t i = 0; i < std::min(entry.causes.size(), kMostCauses); ++i) {
      if (i > 0) out += ',';
      append_quoted(out, utf8_shortened(to_text(entry.causes[i]), kTextBytes));
    }
    out += ']';
  }
  out += '}';
}

std::string causes_json(const std::vector<NodeExplanation>& nodes) {
  std::string out = "{";
  for (const NodeExplanation& node : nodes) {
    if (node.fits || out.size() >= kTextBytes) continue;
    if (out.size() > 1) out += ',';
    append_quoted(out, node.name);
    out += ':';
    append_causes(out, node);
  }
  return out + "}";
}

std::string held_json(const std::vector<HeldPlace>& held) {
  std::string out = std::format(",\"places\":{},\"held\":[", held.size());
  for (std::size_t i = 0; i < std::min(held.size(), kMostHeldPlaces); ++i) {
    if (i > 0) out += ',';
    append_quoted(out, to_text(held[i]));
  }
  return out + "]";
}

}  // namespace

std::string page_json(Explanation& outline, const NodePage& page, const Explainer* explainer) {
  const std::size_t all = outline.nodes.size();
  std::size_t more = 0;
  const std::vector<FailureGroup> groups = group_failures(outline);
  const std::string failures = failures_json(groups, more);
  const std::vector<std::size_t> ranks = ranks_of(outline.nodes, groups);
  const bool nowhere = outline.feasible == 0 && !outline.error;
  const std::string message = nowhere ? fit_error(outline, /*every_failure=*/false) : "";
  const auto [from, count] = keep_page(outline.nodes, page, ranks, explainer);
  if (explainer)
    for (NodeExplanation& node : outline.nodes) explainer->complete(node);
  std::string out = std::format("{{\"from\":{},\"nodes\":{},\"of\":{},\"message\":", from, count, all);
  append_quoted(out, utf8_shortened(message, kTextBytes));
  out += held_json(std::exchange(outline.held, {}));
  out += ",\"failures\":" + failures + ",\"causes\":" + causes_json(outline.nodes);
  return out + std::format(",\"more\":{}}}", more);
}

}  // namespace winnow
