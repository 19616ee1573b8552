// Which of two resource versions is older.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace winnow::live {

/// A number above 0 in decimal digits, of any length, without leading zeros. Kubernetes promises that those
/// of one resource can be compared (KEP-5504, stable in 1.35); every API server has written such ones
/// since 1.0.
bool is_resource_version(std::string_view text);

/// Nothing where one of them is no resource version.
std::optional<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b);

/// Whether `a` is older than `b`. False where they cannot be compared: "" is older than nothing.
bool is_older(std::string_view a, std::string_view b);

}  // namespace winnow::live
