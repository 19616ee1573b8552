// Text in quotes, as Go prints it.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// What Go's `%q` makes of `text`. Bytes that are not UTF-8 are left as they are.
std::string go_quote(std::string_view text);

}  // namespace winnow
