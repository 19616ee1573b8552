#include "extender/explain/near_refusals.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "cluster/api/pod.h"
#include "cluster/go_math.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/view.h"
#include "cluster/text/characters.h"
#include "extender/engine/engine.h"
#include "extender/engine/nominated.h"
#include "extender/engine/not_judged.h"
#include "extender/engine/ruleset.h"

namespace winnow {
namespace {

std::vector<Cause> nominated_pods(const Request& request, NodeId node) {
  std::vector<std::string> names;
  for (const Pod& pod : promised_pods(request.view, request.pod, request.view.node_name(node)))
    names.push_back(pod.metadata.namespace_ + '/' + pod.metadata.name);
  if (names.empty()) return {};
  return {Cause{"nominated"}.with("pods", std::move(names))};
}

/// How much of what the pod requests a node lacks.
class Lack {
 public:
  explicit Lack(const Request& request) {
    const View& view = request.view;
    const PodRequests wanted = pod_requests(request.pod, request.accounting, /*with_status=*/false);
    add(view.column(&NodeTable::allocatable_pods), view.column(&NodeTable::pods), 1);
    add(view.column(&NodeTable::allocatable_cpu), view.column(&NodeTable::requested_cpu), wanted.milli_cpu);
    add(view.column(&NodeTable::allocatable_memory), view.column(&NodeTable::requested_memory),
        wanted.memory);
    add(view.column(&NodeTable::allocatable_ephemeral), view.column(&NodeTable::requested_ephemeral),
        wanted.ephemeral_storage);
    for (const auto& [name, amount] : wanted.scalars) {
      const ScalarColumns columns = view.scalar(name);
      add(columns.allocatable, columns.requested, amount);
    }
  }

  /// The largest share of a resource's request that the node lacks: 0 where it has all.
  double of(NodeId node) const {
    double most = 0;
    for (const Resource& one : resources_) {
      const std::int64_t free = wrap_subtract(one.allocatable[node], one.requested[node]);
      if (free < one.wanted)
        most = std::max(most, static_cast<double>(one.wanted - free) / static_cast<double>(one.wanted));
    }
    return most;
  }

 private:
  struct Resource {
    Column<std::int64_t> allocatable, requested;
    std::int64_t wanted;
  };

  void add(Column<std::int64_t> allocatable, Column<std::int64_t> requested, std::int64_t wanted) {
    if (wanted > 0) resources_.push_back({allocatable, requested, wanted});
  }

  std::vector<Resource> resources_;
};

// The bounds of what is kept.

constexpr std::size_t kMostRefusals = 4;  ///< Rules that refuse one node.
constexpr std::size_t kMostOfRule = 4;    ///< Causes of one rule.
constexpr std::size_t kMostTexts = 4;     ///< Texts of one list.

std::size_t bytes_of(const Cause& cause) {
  constexpr std::size_t kOfField = 16;  // Sizes, as they are packed.
  std::size_t bytes = cause.kind.size() + kOfField;
  for (const auto& [name, value] : cause.fields) {
    bytes += name.size() + kOfField;
    if (const auto* const text = std::get_if<std::string>(&value)) bytes += text->size();
    if (const auto* const texts = std::get_if<std::vector<std::string>>(&value))
      for (const std::string& text : *texts) bytes += text.size() + kOfField;
  }
  return bytes;
}

void shorten(Cause& cause) {
  for (auto& [name, value] : cause.fields) {
    if (auto* const text = std::get_if<std::string>(&value)) *text = utf8_shortened(*text, kMostNameBytes);
    auto* const texts = std::get_if<std::vector<std::string>>(&value);
    if (texts == nullptr) continue;
    if (texts->size() > kMostTexts) texts->resize(kMostTexts);
    for (std::string& text : *texts) text = utf8_shortened(text, kMostNameBytes);
  }
}

/// Keeps causes while there is room.
class Keeper {
 public:
  void keep(NearNode& node, std::size_t rule, std::vector<Cause> causes) {
    if (causes.empty() || node.refusals.size() >= kMostRefusals) return;
    KeptRefusal refusal{.rule = static_cast<std::uint32_t>(rule), .causes = {}};
    if (causes.size() > kMostOfRule) causes.resize(kMostOfRule);
    for (Cause& cause : causes) {
      shorten(cause);
      const std::size_t bytes = bytes_of(cause);
      if (bytes > left_) break;
      left_ -= bytes;
      refusal.causes.push_back(std::move(cause));
    }
    if (!refusal.causes.empty()) node.refusals.push_back(std::move(refusal));
  }

 private:
  std::size_t left_ = kMostNearBytes - kNearNodes * (kMostNameBytes + kMostRefusals * 16);
};

}  // namespace

void find_all_causes(const Filtered& filtered, const Request& request,
                     FunctionRef<void(std::size_t, std::size_t, std::vector<Cause>)> take) {
  for (std::size_t rule = 0; rule < filtered.rules->predicates.size(); ++rule)
    find_causes(filtered, rule, request, [&](std::size_t i, std::vector<Cause> causes) {
      const Verdict verdict = filtered.matrix[rule * request.nodes.size() + i];
      if (causes.empty() && verdict.fit() != Fit::kError) causes = nominated_pods(request, request.nodes[i]);
      take(rule, i, std::move(causes));
    });
}

std::vector<NodeId> nearest_nodes(const Request& request, std::span<const std::uint16_t> failed_by) {
  if (failed_by.empty()) return {};
  // Where one rule refuses all nodes, as one about the pod alone does, all stay.
  std::vector<std::uint16_t> rules(failed_by.begin(), failed_by.end());
  const std::size_t most = std::min(kNearNodes, rules.size());
  const auto last = rules.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::ranges::nth_element(rules, last, std::ranges::greater());
  struct Near {
    std::uint16_t rule;
    double lacks;
    NodeId node;
  };
  std::vector<Near> nodes;
  const Lack lack(request);
  for (std::size_t i = 0; i < failed_by.size(); ++i)
    if (failed_by[i] >= *last) nodes.push_back({failed_by[i], lack.of(request.nodes[i]), request.nodes[i]});
  const auto order = [&](const Near& one) {
    return std::tuple(-static_cast<int>(one.rule), one.lacks, request.view.node_name(one.node));
  };
  const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(kNearNodes, nodes.size()));
  std::ranges::partial_sort(nodes, end, {}, order);
  std::vector<NodeId> nearest;
  for (auto it = nodes.begin(); it != end; ++it) nearest.push_back(it->node);
  return nearest;
}

std::vector<NearNode> near_refusals(const Engine& engine, Request request, std::span<const NodeId> nodes) {
  request.nodes = nodes;
  PassTimes unused;
  const Filtered filtered = engine.filter(request, /*all_rules=*/true, unused);
  std::vector<std::vector<std::pair<std::size_t, std::vector<Cause>>>> found(nodes.size());
  find_all_causes(filtered, request, [&](std::size_t rule, std::size_t i, std::vector<Cause> causes) {
    found[i].emplace_back(rule, std::move(causes));
  });
  Keeper keeper;
  std::vector<NearNode> near;
  // What a PreFilter says is the same of every node.
  const std::size_t told =
      filtered.refused_before_nodes() ? std::min<std::size_t>(1, nodes.size()) : nodes.size();
  for (std::size_t i = 0; i < told; ++i) {
    NearNode node{.node = utf8_shortened(request.view.node_name(nodes[i]), kMostNameBytes), .refusals = {}};
    for (auto& [rule, causes] : found[i]) keeper.keep(node, rule, std::move(causes));
    if (!node.refusals.empty()) near.push_back(std::move(node));
  }
  return near;
}

}  // namespace winnow
