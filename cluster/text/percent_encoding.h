// Text as a part of a URL (RFC 3986, section 2.1).
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// All bytes but the unreserved characters (letters, digits, "-._~") as %XX.
std::string percent_encoded(std::string_view text);

/// The text with each %XX as the byte that it stands for; a "%" without two digits stays.
std::string percent_decoded(std::string_view text);

}  // namespace winnow
