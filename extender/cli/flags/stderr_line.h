// Lines on standard error, for people.
//
// What a command says of its input has words of others in it: names of files and pods, texts of
// configurations, what servers answer. None of them may steer the terminal. So all that commands say there
// passes through stderr_line(), whatever its parts were, and no other code writes to std::cerr. The log has a
// writer of its own (extender/log/log.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "cluster/text/printable.h"

namespace winnow {

/// Writes one_line() of the text, in at most kMostLineBytes, as a line.
inline void stderr_line(std::string_view text) { std::cerr << one_line(text, kMostLineBytes) << '\n'; }

/// Writes a line for each text, with `start` before it.
inline void stderr_lines(const std::string& start, std::span<const std::string> texts) {
  for (const std::string& text : texts) stderr_line(start + text);
}

/// Writes a text of several lines, such as a help's, each as stderr_line() does.
inline void stderr_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    stderr_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace winnow
