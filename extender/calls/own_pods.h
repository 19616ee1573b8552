// Whose pods Winnow decides for where nobody asks it.
#pragma once

#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "extender/engine/engines.h"

namespace winnow {

/// The rules for a pod that Winnow decides without being called; null: it is another scheduler's.
/// @param schedulers  Pods with these schedulerNames are decided. Empty: those of the profiles in force, for
/// a
///   Policy "default-scheduler". A name without a profile gets the first profile's rules.
const Engine* engine_for(const Engines& engines, const Pod& pod, const std::vector<std::string>& schedulers);

}  // namespace winnow
