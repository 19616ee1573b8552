// Internal to extender/log: how a value is written in logfmt.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Appends the value, quoted and escaped where needed. What it appends is printable UTF-8 without line ends,
/// whatever the bytes of `value` are; bytes that are no UTF-8 are written as \xNN.
void append_logfmt_value(std::string& line, std::string_view value);

}  // namespace winnow
