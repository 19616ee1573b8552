// Sizes of values as costs are counted by them.
#pragma once

#include <cstdint>
#include <optional>

#include "cluster/cel/value.h"

namespace winnow::cel {

/// What size(x) gives: characters of a string, bytes, items, entries; nothing for what has no size.
std::optional<std::uint64_t> size_of(const Value& value);

}  // namespace winnow::cel
