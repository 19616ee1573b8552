// Internal to extender/config: errors about a field, in upstream's words.
// Upstream: apimachinery pkg/util/validation/field/errors.go v0.37.0. Here the path alone comes first.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "cluster/validation/field_path.h"

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

}  // namespace winnow
