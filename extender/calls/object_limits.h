// The limits of the objects in a request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cluster/api/meta.h"

namespace winnow {

/// The largest JSON text of one object, in bytes. An API server stores objects of at most 1.5 MB (etcd's
/// limit). JSON takes up to some times as much as what is stored.
inline constexpr std::size_t kMostObjectBytes = 8 << 20;
/// The longest name, namespace and UID. Those of an API server have at most 253 bytes. They are remembered
/// between calls.
inline constexpr std::size_t kLongestName = 1024;

/// What is wrong with an object's text; "" if it is not too large.
std::string too_large(std::string_view object);
/// What is wrong with an object's name, namespace or UID; "" if none is too long.
std::string too_long(const ObjectMeta& metadata);

}  // namespace winnow
