#include "extender/engine/engine.h"

#include <algorithm>
#include <atomic>
#include <format>
#include <utility>
#include <vector>

#include "cluster/api/storage.h"
#include "cluster/go_math.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/go_format.h"
#include "extender/engine/kept_rules.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"
#include "extender/reuse/kept_answers.h"

namespace winnow {
namespace {

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
    result.bound[rule]->map(nodes.subspan(i, 1), std::span(result.verdict.edit()).subspan(i, 1));
    result.failed_by.edit()[i] = static_cast<std::uint16_t>(rule);
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

Filtered Engine::bind_predicates(const Request& request, KeptSlots* slots) const {
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
    const std::size_t number = result.bound.size();
    if (slots && kept_->reads().predicates[number] == Reads::kRows)
      asked.kept = slots->of(number, rules_.predicates.size());
    result.bound.push_back(rule.bind(asked, rule.arguments));
  }
  if (slots) slots->followed();
  return result;
}

Filtered Engine::begin(const Request& request) const {
  Filtered result = bind_predicates(request, nullptr);
  result.failed_by = std::vector<std::uint16_t>(request.nodes.size(), Filtered::kNobody);
  result.verdict = std::vector<Verdict>(request.nodes.size());
  refuse_before_nodes(result, request);
  return result;
}

bool Engine::decides_before_nodes(const Filtered& bound) const {
  if (rules_.generation == Generation::kClassic) return false;
  for (std::size_t rule = 0; rule < bound.bound.size(); ++rule) {
    const Predicate* const one = bound.bound[rule].get();
    if (one && rules_.predicates[rule].pre_filters && (one->refuses_pod() || one->only())) return true;
  }
  return false;
}

// Three steps: bind every rule, take in what PreFilter says, then map chunks of nodes. Within a chunk the
// rules run one after another over the nodes that are left, so that each rule's loop stays tight.
Filtered Engine::filter(const Request& request, bool all_rules, PassTimes& times) const {
  // The rules may use what they keep for as long as the class is this request's.
  KeptAnswers::Lease kept;
  if (kept_ && !all_rules) kept = kept_->take(request, Question::kFilter);
  Request asked = request;
  asked.uses_kept_numbers = kept_ && !all_rules && kept_->is_right();
  Filtered result = bind_predicates(asked, kept ? &kept->begin_verdicts() : nullptr);
  times.lap(Pass::kBind);

  SharedVector<std::uint16_t> refused;
  if (!kept || !filter_reusing(result, request, *kept)) {
    result.failed_by = std::vector<std::uint16_t>(request.nodes.size(), Filtered::kNobody);
    result.verdict = std::vector<Verdict>(request.nodes.size());
    refuse_before_nodes(result, request);
    if (!request.view.state().nominated().empty())
      refused = std::vector<std::uint16_t>(result.failed_by.begin(), result.failed_by.end());
    filter_plainly(result, request, all_rules);
  } else if (!request.view.state().nominated().empty()) {
    refused = std::vector<std::uint16_t>(request.nodes.size(), Filtered::kNobody);
  }
  count_nominated(result, request, refused, all_rules);
  times.lap(Pass::kMap);
  return result;
}

Engine::Part Engine::Part::sub(std::size_t begin, std::size_t end) const {
  const std::size_t count = end - begin;
  return {nodes.subspan(begin, count), failed_by.subspan(begin, count), verdict.subspan(begin, count)};
}

void Engine::filter_plainly(Filtered& result, const Request& request, bool all_rules) const {
  const std::span<const NodeId> nodes = request.nodes;
  if (all_rules) result.matrix.assign(nodes.size() * result.bound.size(), Verdict());
  std::vector<std::size_t> rules;
  for (std::size_t rule = 0; rule < result.bound.size(); ++rule)
    if (result.bound[rule]) rules.push_back(rule);
  const Part all{nodes, result.failed_by.edit(), result.verdict.edit()};
  workers_.for_each_chunk(nodes.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
    all_rules ? filter_chunk_all(result, all, begin, end) : filter_chunk(result, rules, all.sub(begin, end));
  });
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
      std::ranges::fill(result.failed_by.edit(), static_cast<std::uint16_t>(rule));
      std::ranges::fill(result.verdict.edit(), verdict);
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

/// Asks these rules, one after the other, about the nodes that no rule has refused yet.
void Engine::filter_chunk(const Filtered& result, std::span<const std::size_t> rules, Part part) const {
  std::vector<NodeId> left(part.nodes.size());
  std::vector<std::uint32_t> place(part.nodes.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < part.nodes.size(); ++i) {
    left[count] = part.nodes[i];
    place[count] = static_cast<std::uint32_t>(i);
    count += part.failed_by[i] == Filtered::kNobody ? 1 : 0;
  }
  std::vector<Verdict> verdicts(count);  // All fit whenever a rule is asked: a failure is taken out again.
  for (const std::size_t rule : rules) {
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
        part.failed_by[place[i]] = static_cast<std::uint16_t>(rule);
        part.verdict[place[i]] = std::exchange(out[i], Verdict());
      }
    }
    count = kept;
  }
}

/// Whether this failure decides the node. A node's first failure does. With alwaysCheckAllPredicates upstream
/// goes on after a failure, so that an error of a later rule fails the call.
bool Engine::decides_node(bool fits, Verdict before, Verdict failure) const {
  if (fits) return true;
  return rules_.always_check_all_predicates && failure.fit() == Fit::kError && before.fit() != Fit::kError;
}

void Engine::filter_chunk_all(Filtered& result, Part all, std::size_t begin, std::size_t end) const {
  const Part chunk = all.sub(begin, end);
  const auto decides = [&](std::size_t i, Verdict failure) {
    return decides_node(chunk.failed_by[i] == Filtered::kNobody, chunk.verdict[i], failure);
  };
  for (std::size_t rule = 0; rule < result.bound.size(); ++rule) {
    if (!result.bound[rule]) continue;
    const std::span<Verdict> row =
        std::span(result.matrix).subspan(rule * all.nodes.size() + begin, chunk.nodes.size());
    map(result, rule, chunk.nodes, row);
    for (std::size_t i = 0; i < chunk.nodes.size(); ++i) {
      if (row[i].fits() || !decides(i, row[i])) continue;
      chunk.failed_by[i] = static_cast<std::uint16_t>(rule);
      chunk.verdict[i] = row[i];
    }
  }
}

FittingNodes fitting_of(const Filtered& filtered, std::span<const NodeId> nodes) {
  std::vector<NodeId> fit(nodes.size());
  std::vector<std::size_t> places(nodes.size());
  std::size_t count = 0, errors = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    fit[count] = nodes[i];
    places[count] = i;
    count += filtered.fits(i) ? 1 : 0;
    errors += filtered.verdict[i].fit() == Fit::kError ? 1 : 0;
  }
  fit.resize(count);
  places.resize(count);
  return {std::move(fit), std::move(places), errors};
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

void map_rule(const Priority& rule, const Request& request, std::span<const NodeId> nodes,
              std::span<std::int64_t> out) {
  for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesPerLook) {
    const std::size_t count = std::min(kNodesPerLook, nodes.size() - begin);
    request.check_time();
    rule.map(nodes.subspan(begin, count), out.subspan(begin, count));
  }
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

/// A rule's error as the whole call reports it.
/// Upstream: pkg/scheduler/framework/runtime/framework.go RunPreScorePlugins, runRawScorePlugins v1.37.0.
std::string in_words(const RuleSet& rules, const ConfiguredPriority& rule, const std::string& error) {
  if (rules.generation == Generation::kClassic) return error;
  if (const auto* const fails = rule.arguments.get_if<FailsWith>(); fails && !fails->at_pre_score)
    return std::format("running Score plugins: plugin {} failed with: {}", go_quote(rule.name), error);
  return std::format("running PreScore plugin {}: {}", go_quote(rule.name), error);
}

}  // namespace

namespace {

bool in_range(std::span<const std::int64_t> scores) {
  // A loop without a branch, whose steps do not wait for each other: the sign says whether any is wrong.
  std::int64_t signs = 0;
  for (const std::int64_t score : scores) signs |= score | wrap_subtract(kMaxNodeScore, score);
  return signs >= 0;
}

void add_weighted(std::int64_t weight, std::span<const std::int64_t> scores, std::span<std::int64_t> totals) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    totals[i] = wrap_add(totals[i], wrap_multiply(weight, scores[i]));
}

}  // namespace

std::optional<ScoringError> out_of_range(const RuleSet& rules, std::size_t rule,
                                         std::span<const std::int64_t> scores) {
  if (rules.generation == Generation::kClassic || in_range(scores)) return std::nullopt;
  const auto wrong =
      std::ranges::find_if(scores, [](std::int64_t score) { return score < 0 || score > kMaxNodeScore; });
  return ScoringError{
      rule, std::format("applying score defaultWeights on Score plugins: plugin {} returns an invalid "
                        "score {}, it should in the range of [0, {}] after normalizing",
                        go_quote(rules.priorities[rule].name), *wrong, kMaxNodeScore)};
}

std::expected<BoundPriorities, ScoringError> Engine::bind_priorities(const Request& request,
                                                                     KeptSlots* slots) const {
  BoundPriorities bound;
  for (const ConfiguredPriority& rule : rules_.priorities) {
    request.check_time();
    Request asked = request;
    if (slots && kept_->reads().priorities[bound.size()] == Reads::kRows)
      asked.kept = slots->of(bound.size(), rules_.priorities.size());
    auto priority = rule.bind(asked, rule.arguments);
    if (!priority)
      return std::unexpected(ScoringError{bound.size(), in_words(rules_, rule, priority.error())});
    bound.push_back(rule.scores ? std::move(*priority) : nullptr);
  }
  if (slots) slots->followed();
  return bound;
}

bool Engine::map_plainly(const Request& request, const BoundPriorities& bound, std::span<std::int64_t> rows,
                         std::span<std::int64_t> totals) const {
  const std::size_t n = request.nodes.size();
  std::atomic<bool> sound = true;
  workers_.for_each_chunk(n, kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rule = 0; rule < bound.size(); ++rule) {
      if (!bound[rule]) continue;
      const auto chunk = rows.subspan(rule * n + begin, end - begin);
      map_rule(*bound[rule], request, request.nodes.subspan(begin, end - begin), chunk);
      if (bound[rule]->has_reduce()) continue;
      // These are scores, and in the nearest cache now.
      if (!in_range(chunk)) sound.store(false, std::memory_order_relaxed);
      add_weighted(rules_.priorities[rule].weight, chunk, totals.subspan(begin, end - begin));
    }
  });
  return sound;
}

std::expected<Scored, ScoringError> Engine::prioritize(const Request& request, bool keep_raw,
                                                       PassTimes& times) const {
  KeptAnswers::Lease kept;
  if (kept_) kept = kept_->take(request, Question::kScore);
  Request asked = request;
  asked.uses_kept_numbers = kept_ && kept_->is_right();
  const auto bound = bind_priorities(asked, kept ? &kept->begin_scores() : nullptr);
  if (!bound) return std::unexpected(bound.error());
  times.lap(Pass::kBind);
  return kept ? score_reusing(request, *bound, keep_raw, times, *kept)
              : score_plainly(request, *bound, keep_raw, times);
}

// Mapping is shared out by nodes. Reducing a rule's row needs the scores of all nodes, so it begins when all
// chunks are mapped, and is shared out by rules.
std::expected<Scored, ScoringError> Engine::score_plainly(const Request& request,
                                                          const BoundPriorities& bound, bool keep_raw,
                                                          PassTimes& times) const {
  const std::span<const NodeId> nodes = request.nodes;
  const std::size_t n = nodes.size();
  const std::size_t rules = bound.size();
  Scored result;
  for (const auto& priority : bound) result.skipped.push_back(!priority);
  std::vector<std::int64_t> scores(n * rules, 0);
  // Without priorities v1.16 gives every node EqualPriority's score, 1.
  std::vector<std::int64_t> totals(n, bound.empty() && rules_.generation == Generation::kClassic ? 1 : 0);
  const bool sound = map_plainly(request, bound, scores, totals);
  times.lap(Pass::kMap);

  if (keep_raw) result.raw = scores;
  const std::size_t rules_per_task = n < kNodesPerChunk ? rules : 1;
  workers_.for_each_chunk(rules, rules_per_task, [&](std::size_t begin, std::size_t end) {
    for (std::size_t rule = begin; rule < end; ++rule)
      if (bound[rule]) bound[rule]->reduce(nodes, std::span(scores).subspan(rule * n, n));
  });

  for (std::size_t rule = 0; rule < rules; ++rule) {
    if (!bound[rule] || (sound && !bound[rule]->has_reduce())) continue;
    const auto row = std::span(scores).subspan(rule * n, n);
    if (auto error = out_of_range(rules_, rule, row)) return std::unexpected(*std::move(error));
    if (bound[rule]->has_reduce()) add_weighted(rules_.priorities[rule].weight, row, totals);
  }
  result.totals = std::move(totals);
  result.scores = ScoreTable(std::move(scores), n);
  times.lap(Pass::kReduce);
  return result;
}

}  // namespace winnow
