// The bytes of files, plain or gzip.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace winnow {

/// The maximum size of a text after inflating: 4 GiB. It stops gzip bombs.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{4} << 30;

/// The maximum size of a configuration. An API server stores a ConfigMap of at most 1 MiB.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20;

/// The longest wait for the next bytes of a named pipe. Standard input may take any time.
inline constexpr std::chrono::seconds kMaxSilence{30};

/// Reads a whole file, or standard input for "-". A pipe is read to its end; a device is refused. The text is
/// inflated if it starts with gzip's magic bytes.
/// @return the text, or the error without the file's name.
std::expected<std::string, std::string> read_source(const std::string& file,
                                                    std::size_t max_bytes = kMaxSourceBytes,
                                                    std::chrono::milliseconds max_silence = kMaxSilence);

/// Inflates one or more consecutive gzip members.
std::expected<std::string, std::string> inflate_gzip(std::string_view packed, std::size_t max_bytes);

}  // namespace winnow
