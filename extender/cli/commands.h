// What the sub-commands do. Each returns the command's exit code.
#pragma once

#include "extender/cli/flags.h"

namespace winnow {

/// Serves until SIGTERM or SIGINT.
int serve(const CommonFlags& common, const ServeFlags& flags);
int explain_pods(const CommonFlags& common, const ExplainFlags& flags);
/// Prints a line for each thing that is wrong, or worth knowing, with the files.
int check_files(const CommonFlags& common, const CheckFlags& flags);

}  // namespace winnow
