// What the calls say about how kube-scheduler is set up: said once in the log, and shown in the metrics.
#include "extender/log/log.h"
#include "extender/service/extender.h"

namespace winnow {

namespace {

/// Not kube-scheduler's own call: it would have been understood.
bool is_stray(Result result) {
  return result == Result::kBadRequest || result == Result::kNotFound || result == Result::kMethodNotAllowed;
}

}  // namespace

SetupNotes::Flags Extender::setup_flags(const ExtenderOptions& options) {
  return {.best = options.answer == AnswerMode::kBest,
          .picks = options.answer != AnswerMode::kComplete && options.assume,
          .binds = options.bind != nullptr};
}

void Extender::show_setup() {
  for (std::size_t i = 0; i < kSetupProblems; ++i) {
    const auto problem = static_cast<SetupProblem>(i);
    metrics_.live().set_setup_problem(to_string(problem), setup_.has(problem));
  }
}

void Extender::notice(SetupNotes::Noticed problem) {
  if (!problem) return;
  log_warn(meaning(*problem), {{"line", line_of(*problem)}, {"problem", to_string(*problem)}});
}

void Extender::notice_setup(const Call& call) {
  const RequestRecord& record = call.record;
  if (is_stray(record.result)) return;
  if (record.verb == Verb::kFilter) notice(setup_.on_filter(record.result == Result::kOk));
  if (record.verb == Verb::kPrioritize) notice(setup_.on_prioritize());
  if (record.verb == Verb::kPreempt) notice(setup_.on_preempt());
  if (!setup_.doubts_binding()) return;
  const Picture::Reader state = call.world.picture->read();
  constexpr auto kConfirmed = static_cast<std::size_t>(AssumedOutcome::kConfirmed);
  notice(setup_.on_arrived(state.assumed().outcomes()[kConfirmed]));
}

}  // namespace winnow
