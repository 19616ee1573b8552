#include <algorithm>
#include <format>

#include "cluster/go_int.h"
#include "cluster/text/go_quote.h"
#include "extender/engine/engine.h"

namespace winnow {
namespace {

/// Measured: with fewer nodes, waking a helper thread costs more than it saves.
constexpr std::size_t kNodesPerChunk = 2048;
/// A rule is asked about so many nodes between two looks at the clock.
constexpr std::size_t kNodesPerLook = 512;

/// Maps one rule, and looks at the clock.
void map_rule(const Priority& rule, const Request& request, std::span<const NodeId> nodes,
              std::span<std::int64_t> out) {
  for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesPerLook) {
    const std::size_t count = std::min(kNodesPerLook, nodes.size() - begin);
    request.check_time();
    rule.map(nodes.subspan(begin, count), out.subspan(begin, count));
  }
}

/// A rule's error as the whole call reports it.
/// Upstream: pkg/scheduler/framework/runtime/framework.go RunPreScorePlugins, runRawScorePlugins v1.37.0.
std::string in_words(const RuleSet& rules, const ConfiguredPriority& rule, const std::string& error) {
  if (rules.generation == Generation::kClassic) return error;
  if (const auto* const fails = std::get_if<FailsWith>(&rule.arguments); fails && !fails->at_pre_score)
    return std::format("running Score plugins: plugin {} failed with: {}", go_quote(rule.name), error);
  return std::format("running PreScore plugin {}: {}", go_quote(rule.name), error);
}

/// The error for a score outside [0, 100]; v1.16 does not check. Upstream: framework.go normalizeScores
/// v1.37.0.
std::optional<ScoringError> out_of_range(const RuleSet& rules, std::span<const std::int64_t> scores,
                                         std::size_t nodes) {
  if (rules.generation == Generation::kClassic) return std::nullopt;
  const auto wrong =
      std::ranges::find_if(scores, [](std::int64_t score) { return score < 0 || score > kMaxNodeScore; });
  if (wrong == scores.end()) return std::nullopt;
  const std::size_t rule = static_cast<std::size_t>(wrong - scores.begin()) / nodes;
  return ScoringError{
      rule, std::format("applying score defaultWeights on Score plugins: plugin {} returns an invalid "
                        "score {}, it should in the range of [0, {}] after normalizing",
                        go_quote(rules.priorities[rule].name), *wrong, kMaxNodeScore)};
}

}  // namespace

// Mapping is shared out by nodes. Reducing a rule's row needs the scores of all nodes, so it begins when all
// chunks are mapped, and is shared out by rules.
std::expected<Scored, ScoringError> Engine::prioritize(const Request& request, bool keep_raw,
                                                       PassTimes& times) const {
  const std::span<const NodeId> nodes = request.nodes;
  const std::size_t n = nodes.size();
  const std::size_t rules = rules_.priorities.size();
  Scored result;

  std::vector<std::unique_ptr<const Priority>> bound;
  for (const ConfiguredPriority& rule : rules_.priorities) {
    request.check_time();
    auto priority = rule.bind(request, rule.arguments);
    if (!priority)
      return std::unexpected(ScoringError{bound.size(), in_words(rules_, rule, priority.error())});
    if (rule.scores)
      bound.push_back(std::move(*priority));
    else
      bound.push_back(nullptr);
  }
  for (const auto& priority : bound) result.skipped.push_back(!priority);
  times.lap(Pass::kBind);

  result.scores.assign(n * rules, 0);
  const auto row = [&](std::size_t rule) { return std::span(result.scores).subspan(rule * n, n); };
  workers_.for_each_chunk(n, kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rule = 0; rule < rules; ++rule)
      if (bound[rule])
        map_rule(*bound[rule], request, nodes.subspan(begin, end - begin),
                 row(rule).subspan(begin, end - begin));
  });
  times.lap(Pass::kMap);

  if (keep_raw) result.raw = result.scores;
  const std::size_t rules_per_task = n < kNodesPerChunk ? rules : 1;
  workers_.for_each_chunk(rules, rules_per_task, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rule = begin; rule < end; ++rule)
      if (bound[rule]) bound[rule]->reduce(nodes, row(rule));
  });

  if (auto error = out_of_range(rules_, result.scores, n)) return std::unexpected(std::move(*error));

  // Without priorities v1.16 gives every node EqualPriority's score, 1.
  result.totals.assign(n, rules == 0 && rules_.generation == Generation::kClassic ? 1 : 0);
  for (std::size_t rule = 0; rule < rules; ++rule) {
    if (!bound[rule]) continue;
    const std::span<const std::int64_t> scores = row(rule);
    const std::int64_t weight = rules_.priorities[rule].weight;
    for (std::size_t i = 0; i < n; ++i)
      result.totals[i] = wrap_add(result.totals[i], wrap_multiply(weight, scores[i]));
  }
  times.lap(Pass::kReduce);
  return result;
}

}  // namespace winnow
