// Names of pods that a caller may not be told: only how many they are is left of them.
#pragma once

#include <string_view>

#include "cluster/function_ref.h"

namespace winnow {

struct DecisionRecord;
struct Explanation;

/// Whether the caller may be told the names of the pods of a namespace.
using SeesPods = FunctionRef<bool(std::string_view ns)>;

/// Replaces the names of pods that the caller may not be told by their number: "1 pod", in a list "2 pods".
/// The pod that is explained keeps its name. Namespaces in which a rule has looked become "2 namespaces". The
/// summary is made anew.
/// @return whether there were any.
bool hide_pods(Explanation& explanation, SeesPods sees);
/// The same for what a decision says of others: its causes and its victims.
bool hide_pods(DecisionRecord& record, SeesPods sees);

}  // namespace winnow
