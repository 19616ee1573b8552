// Values in logfmt. Internal to extender/log.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Appends the value, quoted and escaped where needed. The result is printable UTF-8 without line ends,
/// whatever the bytes of `value` are. Bytes that are not valid UTF-8 are written as \xNN.
void append_logfmt_value(std::string& line, std::string_view value);

}  // namespace winnow
