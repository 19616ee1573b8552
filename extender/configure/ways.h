// Internal to extender/configure: what is shipped for each way to run Winnow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/check/start_flags.h"
#include "extender/configure/way.h"

namespace winnow {

/// The first release, 1.N, that asks an extender about nodes where its own filters need no evictions.
inline constexpr int kAsksAboutAll = 38;

/// The manifest of a way, as text: manifests/kube-scheduler-WAY.yaml. "" for kNominate, which changes
/// nothing.
/// @param release  kube-scheduler 1.N; from 1.38 on `best` has a file of its own.
std::string_view shipped_file(Way way, int release);

/// The flags of `winnow serve` that the manifest of the way names, in its order.
std::vector<std::string> flags_of(Way way, int release);

/// The same flags, for check_setup().
StartFlags start_flags_of(Way way, int release);

}  // namespace winnow
