// A cause in words.
#pragma once

#include <string>
#include <string_view>

#include "extender/compare/comparison.h"

namespace winnow {

/// The kind as programs get it: "scores", "refused".
std::string_view to_string(TurnKind kind);

/// "NodeResourcesFit (weight 1 under A, 5 under B)": a rule whose scores changed. One that both have with one
/// weight differs in its arguments, or in what it is compared with.
std::string change_text(const ScoreChange& change, const Comparison& of);

/// What turns a choice, without a full stop.
std::string turn_text(const ChoiceTurn& turn, const Comparison& of);

}  // namespace winnow
