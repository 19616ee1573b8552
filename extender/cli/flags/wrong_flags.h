// Flags of a command that contradict each other, or that lack one another.
#pragma once

#include <string>

#include "extender/cli/flags/flags.h"

namespace winnow {

/// Whether the flags, or the environment of a pod, name a live cluster.
bool names_live_cluster(const CommonFlags& flags);

/// The error for flags that name no cluster.
std::string no_cluster_error();

/// The error for flags of serve that contradict each other; "": none. Reads no file.
std::string wrong_serve_flags(const CommonFlags& common, const ServeFlags& flags);
/// The error for --authorization-webhook beside the other flags; "": none.
std::string wrong_webhook(const CommonFlags& common, const ServeFlags& flags);

}  // namespace winnow
