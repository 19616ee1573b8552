// An explanation read from JSON.
#pragma once

#include <expected>
#include <string>

#include "extender/explain/explanation.h"

namespace winnow {

/// Reads what append_json() writes, of this release or another one: unknown fields are ignored. The number of
/// the victims' candidates is known only where not all of them were tried, as append_json() has it.
/// @return the explanation, or one line: the field, what is there, and what was expected.
std::expected<Explanation, std::string> read_explanation(const std::string& json);

}  // namespace winnow
