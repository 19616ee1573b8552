// Internal to extender/config: complaints about a field, in upstream's words.
// Upstream: apimachinery pkg/util/validation/field/errors.go v0.37.0; here the path stands in front alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace winnow {

/// Nothing, or `PATH: what is wrong`.
using FieldResult = std::expected<void, std::string>;

std::unexpected<std::string> invalid(std::string_view path, std::string_view value, std::string_view detail);
std::unexpected<std::string> invalid(std::string_view path, std::int64_t value, std::string_view detail);
std::unexpected<std::string> required(std::string_view path, std::string_view detail);
std::unexpected<std::string> forbidden(std::string_view path, std::string_view detail);
std::unexpected<std::string> duplicate(std::string_view path, std::string_view value);
std::unexpected<std::string> unsupported(std::string_view path, std::string_view value,
                                         std::span<const std::string_view> supported);

/// The last of the given steps behind the path: `a.b`.
std::string child(std::string_view path, std::string_view field);
/// `a[3]`.
std::string element(std::string_view path, std::size_t index);

}  // namespace winnow
