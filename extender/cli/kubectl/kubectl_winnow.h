// kubectl's plugin: the same program under the name kubectl-winnow.
//
// extender/cli/kubectl holds it. kubectl_winnow.cc has the sub-commands. asker.h decides who explains a pod:
// a Winnow that runs, by the API server's proxy (running_winnow.h), or this process (own_answers.h).
// why_lines.h, node_list.h and pending_list.h put answers into words. completion.h serves shells.
#pragma once

#include "extender/cli/flags/kubectl_flags.h"

namespace winnow {

/// Does what the command line says. @return the exit code of the process.
int kubectl_winnow(int argc, char** argv);

}  // namespace winnow
