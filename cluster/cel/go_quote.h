// Quoted texts, exactly as Go quotes them.
#pragma once

#include <string>
#include <string_view>

namespace winnow::cel {

/// Go's strconv.Quote for texts of printable characters: quotes, backslashes, control characters and bytes
/// that are no UTF-8 are escaped, nothing is cut.
std::string quote_as_go(std::string_view text);

}  // namespace winnow::cel
