// Bytes from files, plain or gzip.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace winnow {

/// What a text may measure, after inflating: 4 GiB. A gzip bomb ends there.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{4} << 30;

/// Reads a whole file, or standard input for "-"; inflates it if it starts with gzip's magic bytes.
/// @return the text, or what went wrong, without the file's name.
std::expected<std::string, std::string> read_source(const std::string& file,
                                                    std::size_t max_bytes = kMaxSourceBytes);

/// Inflates one gzip member or several behind each other.
std::expected<std::string, std::string> inflate_gzip(std::string_view packed, std::size_t max_bytes);

}  // namespace winnow
