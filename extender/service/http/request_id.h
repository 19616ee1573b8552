// The id of a request, by which its answer, its lines in the log and its decision are found (X-Request-ID).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::http {

inline constexpr const char* kRequestIdHeader = "X-Request-ID";
/// The longest id that is taken from a client.
inline constexpr std::size_t kMostIdBytes = 128;

/// Whether a client's id is taken: printable ASCII, and from 1 to kMostIdBytes characters.
bool is_request_id(std::string_view id);

/// 16 hexadecimal digits by chance, for a request without an id that is taken.
std::string new_request_id();

}  // namespace winnow::http
