// Quoted text as Go prints it.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// The text in quotes as Go's `%q` prints it. Bytes that are not UTF-8 become `\xNN`. Characters that Go
/// holds to be unprintable are unchanged, but for ASCII.
std::string go_quote(std::string_view text);

}  // namespace winnow
