// A comparison as JSON for programs.
#pragma once

#include <functional>
#include <string_view>

#include "extender/compare/comparison.h"

namespace winnow {

/// Writes one object, piece by piece. docs/what-if.md has its fields. A detail that the result has is one of
/// them. Ends with a newline.
void write_json(const Comparison& result, const std::function<void(std::string_view)>& write);

}  // namespace winnow
