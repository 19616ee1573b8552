#include "extender/metrics/nomination_outcome.h"

namespace winnow {

std::string_view to_string(NominationOutcome outcome) {
  constexpr std::string_view kTexts[kNominationOutcomes] = {
      "followed",    "elsewhere", "refused",        "unfollowed", "cleared", "overruled",
      "pod_changed", "pod_gone",  "no_longer_fits", "rejected",   "denied",  "not_leading"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

}  // namespace winnow
