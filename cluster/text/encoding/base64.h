// Base64 with padding (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace winnow {

std::string to_base64(std::string_view bytes);
/// The decoded bytes; nothing if the text is invalid. Line ends are skipped, as in Go.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace winnow
