// The sub-commands. Each function returns the exit code of the process.
//
// extender/cli holds the commands: serve.cc, explain_command.cc and check_command.cc. cluster_source.cc and
// api_access.cc open the cluster. main.cc calls the sub-command. The flags are in extender/cli/flags.
#pragma once

#include "extender/cli/flags/flags.h"

namespace winnow {

/// Serves until SIGTERM or SIGINT.
int serve(const CommonFlags& common, const ServeFlags& flags);
/// Prints an explanation of each pod.
int explain_pods(const CommonFlags& common, const ExplainFlags& flags);
/// Prints a line for each error and each remark about the files.
int check_files(const CommonFlags& common, const CheckFlags& flags);

}  // namespace winnow
