// Values of expressions as tests/oracle/cel/README.md has them.
#pragma once

#include <string>

#include "cluster/cel/value.h"

namespace winnow::cel {

/// Appends the typed value: {"int":"5"}.
void append_typed(std::string& out, const Value& value);

}  // namespace winnow::cel
