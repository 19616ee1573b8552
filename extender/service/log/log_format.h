// Values in logfmt and in JSON. Internal to extender/service/log.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Appends the value, quoted and escaped where needed. The result is printable UTF-8 without line ends,
/// whatever the bytes of `value` are. Bytes that are not valid UTF-8 are written as \xNN.
void append_logfmt_value(std::string& line, std::string_view value);

// Values in JSON.

/// Appends the value as a JSON string. The result is printable UTF-8 without line ends, whatever the bytes of
/// `value` are. Bytes that are not valid UTF-8 become U+FFFD.
void append_json_value(std::string& line, std::string_view value);

}  // namespace winnow
