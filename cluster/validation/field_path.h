// The paths of fields, as errors name them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

/// The path of a field: `path.field`, or `field` for an empty path.
std::string child(std::string_view path, std::string_view field);
/// The path of an element of a list: `path[index]`.
std::string element(std::string_view path, std::size_t index);
/// The path of a member of a map: `path[key]`.
std::string member(std::string_view path, std::string_view key);

}  // namespace winnow
