// The check of a field: success, or an error in upstream's words; and the paths of fields, as errors name
// them. Upstream: apimachinery pkg/util/validation/field/errors.go v0.37.0. Here the path alone comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace winnow {

/// Success, or the error `PATH: what is wrong`.
using FieldResult = std::expected<void, std::string>;

/// Errors of upstream's field.Invalid, field.Required and so on. @param path  the field's JSON path.
std::unexpected<std::string> invalid(std::string_view path, std::string_view value, std::string_view detail);
std::unexpected<std::string> invalid(std::string_view path, std::int64_t value, std::string_view detail);
std::unexpected<std::string> required(std::string_view path, std::string_view detail);
std::unexpected<std::string> forbidden(std::string_view path, std::string_view detail);
std::unexpected<std::string> duplicate(std::string_view path, std::string_view value);
std::unexpected<std::string> unsupported(std::string_view path, std::string_view value,
                                         std::span<const std::string_view> supported);

/// The path of a field: `path.field`, or `field` for an empty path.
std::string child(std::string_view path, std::string_view field);
/// The path of an element of a list: `path[index]`.
std::string element(std::string_view path, std::size_t index);
/// The path of a member of a map: `path[key]`.
std::string member(std::string_view path, std::string_view key);

}  // namespace winnow
