#include "extender/setup/setup_warnings.h"

#include "extender/log/log.h"

namespace winnow {

SetupNotes::Flags setup_flags(const ExtenderOptions& options) {
  return {.best = options.answer == AnswerMode::kBest,
          .picks = options.answer != AnswerMode::kComplete && options.assume,
          .binds = options.bind != nullptr};
}

void warn_of(SetupNotes::Noticed problem) {
  if (!problem) return;
  log_warn(meaning(*problem), {{"line", line_of(*problem)}, {"problem", to_string(*problem)}});
}

void warn_of_arrivals(SetupNotes& notes, const Picture& picture) {
  if (!notes.doubts_binding()) return;
  const Picture::Reader state = picture.read();
  constexpr auto kConfirmed = static_cast<std::size_t>(AssumedOutcome::kConfirmed);
  warn_of(notes.on_arrived(state.assumed().outcomes()[kConfirmed]));
}

void show(const SetupNotes& notes, LiveMetrics& metrics) {
  for (std::size_t i = 0; i < kSetupProblems; ++i) {
    const auto problem = static_cast<SetupProblem>(i);
    metrics.set_setup_problem(to_string(problem), notes.has(problem));
  }
}

}  // namespace winnow
