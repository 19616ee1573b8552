#include "cluster/cel/regex.h"

#include <re2/re2.h>

#include "cluster/cel/numbers.h"

namespace winnow::cel {
namespace {

re2::RE2::Options options() {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(std::int64_t{64} << 20);
  return options;
}

/// Whether the pattern has \C, a byte, which RE2 knows and Go does not.
bool has_byte_escape(std::string_view pattern) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    ++i;
    if (pattern[i] == 'Q' || pattern[i] == 'E') quoted = pattern[i] == 'Q';
    if (pattern[i] == 'C' && !quoted) return true;
  }
  return false;
}

bool find_in(const re2::RE2& regex, std::string_view text, std::size_t from, std::string_view& match) {
  absl::string_view found;
  const absl::string_view whole(text.data(), text.size());
  if (!regex.Match(whole, from, text.size(), re2::RE2::UNANCHORED, &found, 1)) return false;
  match = std::string_view(found.data(), found.size());
  return true;
}

}  // namespace

Regex::Regex(std::string_view pattern)
    : regex_(std::make_unique<re2::RE2>(absl::string_view(pattern.data(), pattern.size()), options())) {
  if (has_byte_escape(pattern)) error_ = "error parsing regexp: invalid escape sequence: `\\C`";
  if (!regex_->ok()) error_ = "error parsing regexp: " + regex_->error();
}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

bool Regex::matches(std::string_view text) const {
  std::string_view match;
  return find_in(*regex_, text, 0, match);
}

std::string_view Regex::find(std::string_view text) const {
  std::string_view match;
  return find_in(*regex_, text, 0, match) ? match : std::string_view();
}

std::vector<std::string_view> Regex::find_all(std::string_view text, std::int64_t most) const {
  std::vector<std::string_view> matches;
  // As Go: an empty match right behind another match does not count.
  std::size_t at = 0;
  std::size_t last_end = std::string_view::npos;
  while (at <= text.size() && (most < 0 || static_cast<std::int64_t>(matches.size()) < most)) {
    std::string_view match;
    if (!find_in(*regex_, text, at, match)) break;
    const auto start = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = start + match.size();
    const bool counts = !match.empty() || start != last_end;
    if (end > at) {
      at = end;
    } else {
      at += at < text.size() ? next_character(text.substr(at)).size : 1;
    }
    last_end = end;
    if (counts) matches.push_back(match);
  }
  return matches;
}

}  // namespace winnow::cel
