// kubectl's plugin: the same program under the name kubectl-winnow, and its completion in shells.
//
// extender/cli/kubectl holds it. kubectl_winnow.cc has the sub-commands. explain_client.h says who explains a
// pod: a Winnow that runs, by the API server's proxy (running_winnow.h), or this process. api_reader.h asks
// the API server. node_list.h and pending_list.h put answers into words.
#pragma once

#include <string>
#include <vector>

namespace winnow {

/// Does what the command line says. @return the exit code of the process.
int kubectl_winnow(int argc, char** argv);

// Completion of `kubectl winnow` in shells.

/// What may stand at the cursor, a line each, and a last line that says whether names of files may: see
/// completion.h. It is `kubectl-winnow __complete`, which kubectl calls, too.
/// @param words  those before the cursor, without the program; the last one is unfinished, and may be "".
std::string complete(const std::vector<std::string>& words);

}  // namespace winnow
