// What the sub-commands do. Each returns the command's exit code.
#pragma once

#include "extender/cli/flags.h"

namespace winnow {

/// Serves until SIGTERM or SIGINT.
int serve(const CommonFlags& common, const ServeFlags& flags);
int explain_pods(const CommonFlags& common, const ExplainFlags& flags);

}  // namespace winnow
