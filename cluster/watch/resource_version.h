// The order of resource versions.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace winnow::live {

/// Whether the text is a number above 0 in decimal digits that 64 bits hold, without leading zeros. API
/// servers hold versions in 64 bits, and refuse to watch from others. Kubernetes promises that versions of
/// one resource can be compared (KEP-5504, stable in 1.35). Every API server since 1.0 has written such
/// versions.
bool is_resource_version(std::string_view text);

/// The order of two versions; nothing if one of them is not a resource version.
std::optional<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b);

/// Whether `a` is older than `b`. False if they cannot be compared, so "" is never older.
bool is_older(std::string_view a, std::string_view b);

}  // namespace winnow::live
