// Internal to extender/doctor: the checks of nominations that look into the cluster.
#pragma once

#include <string>

#include "extender/doctor/api_answers.h"
#include "extender/doctor/doctor.h"

namespace winnow {

struct NominatorQuestions {
  const ClusterQuestions& asked;
  WallTime now;         ///< By the cluster's clock.
  std::string subject;  ///< Who Winnow is there.
};

/// Whether one Winnow nominates, and not two: by the Leases.
void check_nominators(const NominatorQuestions& questions, Diagnoses& found);
/// Whether nodes keep places, by Winnow's nominations, for pods that kube-scheduler does not try.
void check_held_places(const NominatorQuestions& questions, Diagnoses& found);
/// Whether pods wait for a gate that nobody removes.
void check_gated_pods(const NominatorQuestions& questions, Diagnoses& found);

}  // namespace winnow
