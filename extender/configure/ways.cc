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
  if (way != Way::kBest) return {"--answer=one"};
  std::vector<std::string> flags{"--answer=best", "--enable-bind"};
  if (release >= kAsksAboutAll) flags.emplace_back("--failed-nodes=judged");
  flags.emplace_back("--bind-address=127.0.0.1");
  return flags;
}

StartFlags start_flags_of(Way way) {
  if (way != Way::kBest) return {.answer = AnswerMode::kOne};
  return {.answer = AnswerMode::kBest, .enable_bind = true, .bind_address = "127.0.0.1"};
}

}  // namespace winnow
