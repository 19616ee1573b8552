// Percent-encoding of text in a URL (RFC 3986, section 2.1).
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// The text with all bytes as %XX, except unreserved characters (letters, digits, "-._~").
std::string percent_encoded(std::string_view text);

/// The text with each %XX decoded. A "%" without two hexadecimal digits is unchanged.
std::string percent_decoded(std::string_view text);

}  // namespace winnow
