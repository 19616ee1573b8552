#include "extender/service/setup_notes.h"

#include "cluster/state/assumed_pods.h"
#include "cluster/state/cluster_cache.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/scheduling/options.h"

namespace winnow {
namespace {

/// A hash of a set of nodes, independent of their order.
std::uint64_t fingerprint(std::span<const NodeId> nodes) {
  std::uint64_t sum = 0;
  for (const NodeId node : nodes) {
    std::uint64_t mixed = (node + 1) * 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 32;
    sum += mixed * 0xd6e8feb86659fd93;
  }
  return sum;
}

/// Whether kube-scheduler stops looking for nodes at this count, with some percentage. Its default, 50 less
/// one for each 125 nodes and at least 5, is one of these percentages.
bool is_enough(std::size_t count, std::size_t nodes) {
  if (count == Sampling::kLeast) return true;
  // The smallest percentage that gives at least the count. Upstream uses the integer part of nodes *
  // percentage / 100.
  const std::size_t percent = (count * 100 + nodes - 1) / nodes;
  return count > Sampling::kLeast && percent <= Sampling::kMostPercent && nodes * percent / 100 == count;
}

}  // namespace

bool Sampling::notice(std::span<const NodeId> asked, std::size_t nodes) {
  // A call with one node is about the node that the pod is nominated for. It shows nothing of the other
  // calls.
  if (asked.size() == 1) return false;
  const bool may_be = asked.size() < nodes && is_enough(asked.size(), nodes);
  const std::uint64_t set = may_be ? fingerprint(asked) : 0;
  const MutexLock lock(mutex_);
  if (!may_be || asked.size() != count_)
    in_a_row_ = may_be ? 1 : 0;
  else if (set != set_)
    ++in_a_row_;
  count_ = asked.size();
  set_ = set;
  return in_a_row_ >= kInARow;
}

void SamplingWarning::look_at(std::span<const NodeId> shown, std::size_t nodes, bool mended,
                              LiveMetrics& metrics) {
  if (!sampling_.notice(shown, nodes)) return;
  metrics.on_sampled_call();
  if (mended || warned_.exchange(true)) return;
  log_warn(
      "kube-scheduler shows a part of the nodes only, others each time: a pod that fits on none of them "
      "stays pending; write this line into its configuration",
      {{"line", "percentageOfNodesToScore: 100"}, {"shown", shown.size()}, {"nodes", nodes}});
}

SetupNotes::Flags setup_flags(const ExtenderOptions& options) {
  return {.best = options.answer == AnswerMode::kBest,
          .picks = options.answer != AnswerMode::kComplete && options.assume,
          .binds = options.binds};
}

void warn_of(SetupNotes::Noticed problem) {
  if (!problem) return;
  log_warn(meaning(*problem), {{"line", line_of(*problem)}, {"problem", to_string(*problem)}});
}

void warn_of_arrivals(SetupNotes& notes, const ClusterCache& cache) {
  if (!notes.doubts_binding()) return;
  const ClusterCache::ReadGuard state = cache.read();
  constexpr auto kConfirmed = static_cast<std::size_t>(AssumedOutcome::kConfirmed);
  warn_of(notes.on_arrived(state.assumed().outcomes()[kConfirmed]));
}

void show(const SetupNotes& notes, LiveMetrics& metrics) {
  for (std::size_t i = 0; i < kSetupProblems; ++i) {
    const auto problem = static_cast<SetupProblem>(i);
    metrics.set_setup_problem(to_string(problem), notes.has(problem));
  }
}

namespace {

struct Words {
  std::string_view word, meaning, line;
};
constexpr std::array<Words, kSetupProblems> kWords = {{
    {"filter_not_called",
     "filter is not called: kube-scheduler places pods without asking Winnow which nodes fit; its extender "
     "lacks this line",
     "filterVerb: filter"},
    {"prioritize_called",
     "prioritize is called, although with --answer=best filter gives one node: some kube-scheduler's "
     "extender lacks this line, or does not wait for filter's answer",
     "filterVerb: filter"},
    {"bind_not_called",
     "bind is not called, although --enable-bind is on: kube-scheduler binds by itself; start Winnow without "
     "the flag, or add this line to kube-scheduler's extender",
     "bindVerb: bind"},
    {"bind_called",
     "bind is called, and binding is off, so that no pod is bound: remove this line from kube-scheduler's "
     "extender, or start Winnow with --enable-bind",
     "bindVerb: bind"},
    {"whole_nodes",
     "calls carry whole nodes: they are slow, and pods on their way are not counted; kube-scheduler's "
     "extender "
     "lacks this line",
     "nodeCacheCapable: true"},
}};

const Words& words(SetupProblem problem) { return kWords[static_cast<std::size_t>(problem)]; }

}  // namespace

std::string_view to_string(SetupProblem problem) { return words(problem).word; }
std::string_view meaning(SetupProblem problem) { return words(problem).meaning; }
std::string_view line_of(SetupProblem problem) { return words(problem).line; }

SetupNotes::Noticed SetupNotes::on_filter(bool good) {
  const MutexLock lock(mutex_);
  // With `ignorable: true` kube-scheduler continues with all nodes where filter has failed.
  if (filters_++ == 0 || !good) prioritizes_in_a_row_ = 0;
  state(SetupProblem::kFilterNotCalled) = false;
  return std::nullopt;
}

SetupNotes::Noticed SetupNotes::on_prioritize() {
  const MutexLock lock(mutex_);
  ++prioritizes_;
  ++prioritizes_in_a_row_;
  if (filter_is_missing()) return notice(SetupProblem::kFilterNotCalled, true);
  return notice(SetupProblem::kPrioritizeCalled,
                flags_.best && filters_ > 0 && prioritizes_in_a_row_ >= kEnough);
}

SetupNotes::Noticed SetupNotes::on_preempt() {
  const MutexLock lock(mutex_);
  ++preempts_;
  return notice(SetupProblem::kFilterNotCalled, filter_is_missing());
}

SetupNotes::Noticed SetupNotes::on_bind() {
  const MutexLock lock(mutex_);
  ++binds_;
  state(SetupProblem::kBindNotCalled) = false;
  return notice(SetupProblem::kBindCalled, !flags_.binds);
}

SetupNotes::Noticed SetupNotes::on_nodes(bool whole) {
  const MutexLock lock(mutex_);
  whole_in_a_row_ = whole ? whole_in_a_row_ + 1 : 0;
  return notice(SetupProblem::kWholeNodes, flags_.picks && whole_in_a_row_ >= kEnough);
}

bool SetupNotes::doubts_binding() const {
  const MutexLock lock(mutex_);
  return flags_.binds && binds_ == 0 && filters_ + prioritizes_ >= kEnough &&
         !told_[static_cast<std::size_t>(SetupProblem::kBindNotCalled)];
}

SetupNotes::Noticed SetupNotes::on_arrived(std::uint64_t pods) {
  const MutexLock lock(mutex_);
  return notice(SetupProblem::kBindNotCalled, flags_.binds && binds_ == 0 && pods >= kEnough);
}

bool SetupNotes::has(SetupProblem problem) const {
  const MutexLock lock(mutex_);
  return there_[static_cast<std::size_t>(problem)];
}

/// A prioritize call shows that nodes fit by kube-scheduler's own filters, so a configured filter verb would
/// have been called first. Winnow is meant to filter where its answer is `best`, or where preempt is
/// configured.
bool SetupNotes::filter_is_missing() const {
  return filters_ == 0 && prioritizes_ >= kEnough && (flags_.best || preempts_ > 0);
}

SetupNotes::Noticed SetupNotes::notice(SetupProblem problem, bool certain) {
  bool& told = told_[static_cast<std::size_t>(problem)];
  if (!certain) return std::nullopt;
  state(problem) = true;
  if (told) return std::nullopt;
  told = true;
  return problem;
}

}  // namespace winnow
