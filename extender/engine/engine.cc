#include "extender/engine/engine.h"

#include <algorithm>
#include <format>
#include <utility>
#include <vector>

#include "cluster/api/storage.h"
#include "cluster/go_math.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/go_format.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"

namespace winnow {
namespace {

/// Measured: with fewer nodes, waking a helper thread costs more than it saves.
constexpr std::size_t kNodesPerChunk = 2048;
/// A rule is asked about so many nodes between two looks at the clock.
constexpr std::size_t kNodesPerLook = 512;

/// By node id: 1 for the nodes with these names.
std::vector<std::uint8_t> marks(const View& view, const std::vector<std::string>& names) {
  std::vector<std::uint8_t> marked(view.capacity(), 0);
  for (const std::string& name : names)
    if (const NodeId node = view.find_node(name); node != kNone) marked[node] = 1;
  return marked;
}

/// Gives the rule's verdict to the nodes that its PreFilter leaves out, unless an earlier rule refused them.
void refuse_others(Filtered& result, std::size_t rule, std::span<const NodeId> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (result.left[rule][nodes[i]] || !result.fits(i)) continue;
    if (result.budget && i % kNodesPerLook == 0) result.budget->check();
    result.bound[rule]->map(nodes.subspan(i, 1), std::span(result.verdict).subspan(i, 1));
    result.failed_by[i] = static_cast<std::uint16_t>(rule);
  }
}

}  // namespace

std::optional<std::string> basic_checks(const Pod& pod, const View& view) {
  for (const Volume& volume : pod.spec.volumes) {
    if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
    const PersistentVolumeClaim* claim = view.volumes().claim(pod.metadata.namespace_, volume.id);
    if (!claim) return "persistentvolumeclaim " + go_quote(volume.id) + " not found";
    if (claim->metadata.deleting) return "persistentvolumeclaim " + go_quote(volume.id) + " is being deleted";
  }
  return std::nullopt;
}

Filtered Engine::begin(const Request& request) const {
  Filtered result;
  result.rules = &rules_;
  result.budget = request.budget;
  result.reason_lists = std::make_shared<ReasonLists>();
  result.bound.reserve(rules_.predicates.size());
  for (const ConfiguredPredicate& rule : rules_.predicates) {
    request.check_time();
    Request asked = request;
    asked.pre_filters = rule.pre_filters;
    asked.reason_lists = result.reason_lists.get();
    result.bound.push_back(rule.bind(asked, rule.arguments));
  }
  result.failed_by.assign(request.nodes.size(), Filtered::kNobody);
  result.verdict.assign(request.nodes.size(), Verdict());
  refuse_before_nodes(result, request);
  return result;
}

// Three steps: bind every rule, take in what PreFilter says, then map chunks of nodes. Within a chunk the
// rules run one after another over the nodes that are left, so that each rule's loop stays tight.
Filtered Engine::filter(const Request& request, bool all_rules, PassTimes& times) const {
  Filtered result = begin(request);
  times.lap(Pass::kBind);

  const std::span<const NodeId> nodes = request.nodes;
  std::vector<std::uint16_t> refused;
  if (!request.view.state().nominated().empty()) refused = result.failed_by;
  if (all_rules) result.matrix.assign(nodes.size() * result.bound.size(), Verdict());
  workers_.for_each_chunk(nodes.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
    all_rules ? filter_chunk_all(result, nodes, begin, end) : filter_chunk(result, nodes, begin, end);
  });
  count_nominated(result, request, refused, all_rules);
  times.lap(Pass::kMap);
  return result;
}

/// Takes in what the PreFilters say; only today's plugins have one. A refusal or an error applies to every
/// node. Sets of node names are intersected; once the intersection is empty, no further plugin is asked.
/// Upstream: pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins v1.37.0.
void Engine::refuse_before_nodes(Filtered& result, const Request& request) const {
  const std::span<const NodeId> nodes = request.nodes;
  if (rules_.generation == Generation::kClassic || nodes.empty()) return;
  result.left.resize(result.bound.size());
  std::optional<std::vector<std::string>> names;
  for (std::size_t i = 0; i < result.bound.size(); ++i) {
    const std::size_t rule = rules_.pre_filter_order.empty() ? i : rules_.pre_filter_order[i];
    const Predicate* const bound = result.bound[rule].get();
    if (!bound || !rules_.predicates[rule].pre_filters) continue;
    if (bound->refuses_pod()) {
      Verdict verdict;
      bound->map(nodes.first(1), {&verdict, 1});
      std::ranges::fill(result.failed_by, static_cast<std::uint16_t>(rule));
      std::ranges::fill(result.verdict, verdict);
      return;
    }
    if (!bound->only()) continue;
    result.left[rule] = marks(request.view, *bound->only());
    refuse_others(result, rule, nodes);
    if (!names) names = *bound->only();
    std::erase_if(*names,
                  [&](const std::string& name) { return !std::ranges::binary_search(*bound->only(), name); });
    if (names->empty()) return;
  }
}

/// Maps one rule over nodes. Where the configuration has switched off the plugin's Filter, only what its
/// PreFilter has said remains.
void Engine::map(const Filtered& result, std::size_t rule, std::span<const NodeId> nodes,
                 std::span<Verdict> out) const {
  const Predicate& bound = *result.bound[rule];
  for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesPerLook) {
    const std::size_t count = std::min(kNodesPerLook, nodes.size() - begin);
    if (result.budget) result.budget->check();
    bound.map(nodes.subspan(begin, count), out.subspan(begin, count));
  }
  const ConfiguredPredicate& configured = rules_.predicates[rule];
  if (configured.filters || bound.refuses_pod()) return;
  const bool leaves_all = result.left.empty() || result.left[rule].empty();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (leaves_all || result.left[rule][nodes[i]]) out[i] = Verdict();
}

/// Asks each rule about the nodes that no rule has refused yet.
void Engine::filter_chunk(Filtered& result, std::span<const NodeId> nodes, std::size_t begin,
                          std::size_t end) const {
  std::vector<NodeId> left(end - begin);
  std::vector<std::uint32_t> place(end - begin);
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    left[count] = nodes[i];
    place[count] = static_cast<std::uint32_t>(i);
    count += result.fits(i) ? 1 : 0;
  }
  std::vector<Verdict> verdicts(count);  // All fit whenever a rule is asked: a failure is taken out again.
  for (std::size_t rule = 0; rule < result.bound.size(); ++rule) {
    if (!result.bound[rule]) continue;
    const std::span<Verdict> out = std::span(verdicts).first(count);
    map(result, rule, std::span(left).first(count), out);
    std::uint64_t any = 0;
    for (const Verdict verdict : out) any |= verdict.bits();
    if (any == 0) continue;  // Most rules refuse no node: then nothing moves.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (out[i].fits()) {
        left[kept] = left[i];
        place[kept++] = place[i];
      } else {
        result.failed_by[place[i]] = static_cast<std::uint16_t>(rule);
        result.verdict[place[i]] = std::exchange(out[i], Verdict());
      }
    }
    count = kept;
  }
}

/// Whether this failure decides the node. A node's first failure does. With alwaysCheckAllPredicates upstream
/// goes on after a failure, so that an error of a later rule fails the call.
bool Engine::decides(const Filtered& result, std::size_t node, Verdict failure) const {
  if (result.fits(node)) return true;
  return rules_.always_check_all_predicates && failure.fit() == Fit::kError &&
         result.verdict[node].fit() != Fit::kError;
}

void Engine::filter_chunk_all(Filtered& result, std::span<const NodeId> nodes, std::size_t begin,
                              std::size_t end) const {
  const std::span<const NodeId> chunk = nodes.subspan(begin, end - begin);
  for (std::size_t rule = 0; rule < result.bound.size(); ++rule) {
    if (!result.bound[rule]) continue;
    const std::span<Verdict> row =
        std::span(result.matrix).subspan(rule * nodes.size() + begin, chunk.size());
    map(result, rule, chunk, row);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      if (row[i].fits() || !decides(result, begin + i, row[i])) continue;
      result.failed_by[begin + i] = static_cast<std::uint16_t>(rule);
      result.verdict[begin + i] = row[i];
    }
  }
}

std::vector<std::string_view> Filtered::reasons(std::size_t rule, Verdict failed) const {
  return reasons_of(bound[rule].get(), failed, *reason_lists);
}

bool Filtered::refused_before_nodes() const {
  if (failed_by.empty() || failed_by.front() == kNobody || rules->generation == Generation::kClassic)
    return false;
  const std::uint16_t rule = failed_by.front();
  return rules->predicates[rule].pre_filters && bound[rule] && bound[rule]->refuses_pod();
}

std::optional<std::string> Filtered::error() const {
  const auto failed = std::ranges::find(verdict, Fit::kError, &Verdict::fit);
  if (failed == verdict.end()) return std::nullopt;
  const std::size_t rule = failed_by[static_cast<std::size_t>(failed - verdict.begin())];
  const std::string_view text = reasons(rule, *failed).front();
  if (rules->generation == Generation::kClassic) return std::string(text);
  const ConfiguredPredicate& configured = rules->predicates[rule];
  const bool before_nodes = configured.pre_filters && bound[rule] && bound[rule]->refuses_pod();
  return before_nodes ? std::format("running PreFilter plugin {}: {}", go_quote(configured.name), text)
                      : std::format("running {} filter plugin: {}", go_quote(configured.name), text);
}

std::string fit_error(const std::map<std::string_view, std::size_t>& counts, std::size_t nodes) {
  // Upstream sorts the texts, so that 10 comes before 2.
  std::vector<std::string> texts;
  for (const auto& [reason, count] : counts) texts.push_back(std::format("{} {}", count, reason));
  std::ranges::sort(texts);
  std::string list;
  for (const std::string& text : texts) list.append(list.empty() ? ": " : ", ").append(text);
  return std::format("0/{} nodes are available{}.", nodes, list);
}

namespace {

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
  if (const auto* const fails = rule.arguments.get_if<FailsWith>(); fails && !fails->at_pre_score)
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
