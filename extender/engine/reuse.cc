// The engine's answers by what is kept of earlier ones. docs/reuse.md says why they are right.
//
// Rules that read one node (Reads::kNode, kNodes) are asked about the rows that have changed since their
// class of pods was last asked about. All other rules are asked about every node, as ever. The first rule
// that refuses a node is the lower of the two.
#include <algorithm>
#include <iterator>
#include <utility>

#include "cluster/memory_budget.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/kept_rules.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"
#include "extender/reuse/kept_answers.h"

namespace winnow {
namespace {

std::vector<std::size_t> rules_where(const Speaking& speaking) {
  std::vector<std::size_t> rules;
  for (std::size_t rule = 0; rule < speaking.size(); ++rule)
    if (speaking[rule]) rules.push_back(rule);
  return rules;
}

}  // namespace

// ---- filter ----

bool Engine::filter_reusing(Filtered& result, const Request& request, KeptClass& kept) const {
  if (decides_before_nodes(result)) return false;
  const Speaking speaking = speaking_of(result.bound, kept_->reads().predicates);
  KeptClass::Verdicts& known = kept.verdicts(speaking);
  follow_verdicts(result, request, known, speaking);
  if (!known.last_fitting) {
    const MemoryScope kept_memory(nullptr);
    result.failed_by = known.last_failed_by;
    result.verdict = known.last_verdict;
    known.last_fitting = fitting_of(result, request.nodes);
  }
  known.complete = true;
  result.failed_by = known.last_failed_by;
  result.verdict = known.last_verdict;
  result.fitting = known.last_fitting;
  if (kept_->count_answer(Question::kFilter)) check_verdicts(result, request, kept);
  return true;
}

/// Brings the last answer to the request. Where the nodes are the same, and all rules say what has changed,
/// only that is asked about.
void Engine::follow_verdicts(const Filtered& result, const Request& request, KeptClass::Verdicts& known,
                             const Speaking& speaking) const {
  MemoryBudget* const call = MemoryScope::current();
  const MemoryScope kept(nullptr);  // It outlives the request, and has a bound of its own.
  std::optional<std::vector<NodeId>> dropped = known.fresh.take_dropped();
  BoundRules bound;
  for (const auto& rule : result.bound) bound.push_back(rule != nullptr);
  const bool same_nodes = dropped && known.was_complete &&
                          known.last_failed_by.size() == request.nodes.size() &&
                          known.last.are(request.nodes);
  if (same_nodes) known.last.find_places(request.view.capacity());
  std::vector<NodeId> stale = stale_rows(known, request.nodes, same_nodes ? &*dropped : nullptr);
  ask_anew(result, speaking, known, stale, call);
  const bool same_rules = known.last_bound == bound;
  known.last_bound = std::move(bound);
  const MemoryScope of_call(call);
  if (same_nodes && same_rules && add_moved(result.bound, kept_->reads().predicates, known.last, stale)) {
    kept_->count_answer_changed();
    answer_at(result, stale, known);
  } else {
    answer_all(result, request, known);
  }
}

/// The answer for all the request's nodes.
void Engine::answer_all(const Filtered& result, const Request& request, KeptClass::Verdicts& known) const {
  MemoryBudget* const call = MemoryScope::current();
  const MemoryScope kept(nullptr);
  const std::size_t n = request.nodes.size();
  std::vector<std::uint16_t> failed_by(n);
  std::vector<Verdict> verdict(n);
  for (std::size_t i = 0; i < n; ++i) {
    failed_by[i] = known.failed_by[request.nodes[i]];
    verdict[i] = known.verdict[request.nodes[i]];
  }
  {
    const MemoryScope of_call(call);
    ask_others(result, {request.nodes, failed_by, verdict});
  }
  if (!known.last.are(request.nodes))
    known.last.set(std::vector<NodeId>(request.nodes.begin(), request.nodes.end()));
  known.last_failed_by = std::move(failed_by);
  known.last_verdict = std::move(verdict);
  known.last_fitting.reset();
}

/// The last answer, with other verdicts on these rows; they are of its nodes.
void Engine::answer_at(const Filtered& result, std::span<const NodeId> rows,
                       KeptClass::Verdicts& known) const {
  if (rows.empty()) return;
  std::vector<std::uint16_t> failed_by(rows.size());
  std::vector<Verdict> verdict(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    failed_by[i] = known.failed_by[rows[i]];
    verdict[i] = known.verdict[rows[i]];
  }
  ask_others(result, {rows, failed_by, verdict});
  const MemoryScope kept(nullptr);
  constexpr std::size_t kFew = 8;  // More than these are found by a look at all nodes.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t place = known.last.place_of(rows[i]);
    const bool fitted = known.last_failed_by[place] == Filtered::kNobody;
    if (known.last_failed_by[place] == failed_by[i] && known.last_verdict[place] == verdict[i]) continue;
    const bool failed = std::exchange(known.last_verdict.edit()[place], verdict[i]).fit() == Fit::kError;
    known.last_failed_by.edit()[place] = failed_by[i];
    if (!known.last_fitting) continue;
    known.last_fitting->errors += verdict[i].fit() == Fit::kError ? 1 : 0;
    known.last_fitting->errors -= failed ? 1 : 0;
    if (fitted == (failed_by[i] == Filtered::kNobody)) continue;
    if (rows.size() <= kFew)
      known.last_fitting->flip(rows[i], place);
    else
      known.last_fitting.reset();
  }
}

/// Asks the rules that read one node about these rows, and keeps what they say.
/// @param call  the request's budget: what rules allocate is its.
void Engine::ask_anew(const Filtered& result, const Speaking& speaking, KeptClass::Verdicts& known,
                      std::span<const NodeId> stale, MemoryBudget* call) const {
  if (stale.empty()) return;
  kept_->count_redone(stale.size());
  std::vector<std::uint16_t> failed_by(stale.size(), Filtered::kNobody);
  std::vector<Verdict> verdict(stale.size());
  const Part anew{stale, failed_by, verdict};
  const std::vector<std::size_t> rules = rules_where(speaking);
  {
    const MemoryScope of_call(call);
    workers_.for_each_chunk(stale.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
      filter_chunk(result, rules, anew.sub(begin, end));
    });
  }
  for (std::size_t i = 0; i < stale.size(); ++i) {
    known.failed_by[stale[i]] = failed_by[i];
    known.verdict[stale[i]] = verdict[i];
    // The texts of a listed verdict are this request's.
    if (!verdict[i].fits() && verdict[i].is_listed())
      known.fresh.ask_again(stale[i]);
    else
      known.fresh.add(stale[i]);
  }
}

/// Asks the rules that do not read single nodes about each node that no rule before them has refused.
void Engine::ask_others(const Filtered& result, Part all) const {
  for (std::size_t rule = 0; rule < result.bound.size(); ++rule) {
    if (!result.bound[rule] || reads_single_nodes(kept_->reads().predicates[rule])) continue;
    workers_.for_each_chunk(all.nodes.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
      const Part part = all.sub(begin, end);
      std::vector<NodeId> left(part.nodes.size());
      std::vector<std::uint32_t> places(part.nodes.size());
      std::size_t count = 0;
      for (std::size_t i = 0; i < part.nodes.size(); ++i) {
        left[count] = part.nodes[i];
        places[count] = static_cast<std::uint32_t>(i);
        count += part.failed_by[i] > rule ? 1 : 0;
      }
      std::vector<Verdict> verdicts(count);
      map(result, rule, std::span(left).first(count), verdicts);
      std::uint64_t any = 0;
      for (const Verdict verdict : verdicts) any |= verdict.bits();
      if (any == 0) return;
      for (std::size_t i = 0; i < count; ++i)
        if (!verdicts[i].fits()) {
          part.failed_by[places[i]] = static_cast<std::uint16_t>(rule);
          part.verdict[places[i]] = verdicts[i];
        }
    });
  }
}

/// Compares a reused answer with the full computation. At a difference the latter is given, and the class is
/// not used again. Without the time or memory for it the answer stands.
void Engine::check_verdicts(Filtered& result, const Request& request, KeptClass& kept) const try {
  Filtered plain = begin(request);  // Without what rules keep.
  filter_plainly(plain, request, /*all_rules=*/false);
  const FittingNodes fitting = fitting_of(plain, request.nodes);
  bool same = plain.failed_by == result.failed_by && fitting.places == result.fitting->places &&
              fitting.errors == result.fitting->errors;
  for (std::size_t i = 0; same && i < plain.verdict.size(); ++i)
    same = plain.verdict[i].fit() == result.verdict[i].fit() &&
           (plain.fits(i) || plain.reasons(plain.failed_by[i], plain.verdict[i]) ==
                                 result.reasons(result.failed_by[i], result.verdict[i]));
  kept_->count_check(same);
  if (same) return;
  kept.turn_off();
  result = std::move(plain);
} catch (const OutOfTime&) {
} catch (const MemoryExceeded&) {
}

}  // namespace winnow
