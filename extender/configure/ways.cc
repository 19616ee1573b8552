#include "extender/configure/ways.h"

#include "extender/configure/shipped.h"

namespace winnow {
std::string_view shipped_file(Way way, int release) {
  switch (way) {
    case Way::kNominate:
      break;
    case Way::kScores:
      return kShippedScores;
    case Way::kEverything:
      return kShippedEverything;
    case Way::kBest:
      return release >= kAsksAboutAll ? kShippedBest138 : kShippedBest;
  }
  return {};
}

std::vector<std::string> flags_of(Way way, int release) {
  if (way == Way::kNominate) return {"--nominate"};
  const std::string filters = "--scheduler-filters=NodeResourcesFit,NodePorts";
  if (way != Way::kBest) return {"--answer=one", filters};
  if (release >= kAsksAboutAll)
    return {"--answer=best", "--enable-bind", "--failed-nodes=judged", "--bind-address=127.0.0.1"};
  return {"--answer=best", filters, "--enable-bind", "--bind-address=127.0.0.1"};
}

StartFlags start_flags_of(Way way, int release) {
  StartFlags flags{.answer = AnswerMode::kOne, .scheduler_filters = {"NodeResourcesFit", "NodePorts"}};
  if (way != Way::kBest) return flags;
  flags.answer = AnswerMode::kBest;
  flags.enable_bind = true;
  flags.bind_address = "127.0.0.1";
  if (release >= kAsksAboutAll) flags.scheduler_filters.clear();
  return flags;
}

}  // namespace winnow
