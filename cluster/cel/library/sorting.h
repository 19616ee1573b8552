// Sorted lists, in the order that Go's sort.Slice gives.
#pragma once

#include "cluster/cel/value.h"

namespace winnow::cel {

/// The list sorted by the keys, which have an order and one type; else an error. Equal keys of up to twelve
/// items keep their order, as upstream's do.
Value sort_by_keys(const Value& list, const Value& keys);

}  // namespace winnow::cel
