// Values as strings, as string(x) has them.
#pragma once

#include <string_view>

#include "cluster/cel/value.h"

namespace winnow::cel {

/// The value as string(x) gives it, for each type that may be converted; else an error.
Value to_string(const Value& value);
bool is_utf8(std::string_view text);

}  // namespace winnow::cel
