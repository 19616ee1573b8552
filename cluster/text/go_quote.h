// Quoted text as Go prints it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

/// The longest start of a text that is quoted. The longest names that the API has, those of labels, fit.
inline constexpr std::size_t kMostQuoted = 317;

/// The text in quotes as Go's `%q` prints it; of a longer one the start, and "…" behind the quotes. Every
/// text of others that stands in an error, a note or a warning is quoted by it. Bytes that are not UTF-8
/// become
/// `\xNN`. What steers a display (printable.h) is escaped. Other characters that Go holds to be unprintable
/// are unchanged.
std::string go_quote(std::string_view text, std::size_t most = kMostQuoted);

}  // namespace winnow
