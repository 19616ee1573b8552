#include "cluster/cel/search.h"

#include <cstring>
#include <string>

namespace winnow::cel {

std::size_t find_text(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  // The search of std::string_view may need the product of both lengths; glibc's needs the sum.
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t find_last_text(std::string_view text, std::string_view part) {
  const std::string reversed_text(text.rbegin(), text.rend());
  const std::string reversed_part(part.rbegin(), part.rend());
  const std::size_t found = find_text(reversed_text, reversed_part);
  return found == std::string_view::npos ? found : text.size() - found - part.size();
}

}  // namespace winnow::cel
