// Suggestions in words.
#pragma once

#include <string>

namespace winnow {

struct Help;
struct NoNewNode;
struct Suggestion;

/// "ask for 4220m cpu, not 6: it goes to node-3"
std::string to_text(const Suggestion& suggestion);

/// "No node of the cluster's kinds would hold it, even an empty one: wants 64 cpu: …"
std::string to_text(const NoNewNode& none);

/// "What would help, each by itself:"; "": there is nothing to say.
std::string heading_of(const Help& help);

}  // namespace winnow
