#include "extender/metrics/nomination_outcome.h"

namespace winnow {

std::string_view to_string(NominationOutcome outcome) {
  constexpr std::string_view kTexts[kNominationOutcomes] = {
      "followed", "elsewhere",      "refused",  "unfollowed", "cleared",     "overruled", "pod_changed",
      "pod_gone", "no_longer_fits", "rejected", "denied",     "not_leading", "left_out"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

std::string_view to_string(WhyNotNominated why) {
  constexpr std::string_view kTexts[kWhysNotNominated] = {
      "scheduling_gates", "resource_claims", "pod_group", "devices", "claim_missing", "volume_missing"};
  return kTexts[static_cast<std::size_t>(why)];
}

}  // namespace winnow
