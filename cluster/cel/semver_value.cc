#include "cluster/cel/semver_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstdint>
#include <expected>
#include <format>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow::cel {
namespace {

bool is_identifier(char c) { return is_alphanumeric(c) || c == '-'; }

bool all_are_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

bool has_leading_zero(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

std::expected<std::uint64_t, std::string> read_version_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    return std::unexpected("strconv.ParseUint: parsing " + go_quote(text) + ": value out of range");
  if (error != std::errc())
    return std::unexpected("strconv.ParseUint: parsing " + go_quote(text) + ": invalid syntax");
  return number;
}

std::expected<std::uint64_t, std::string> read_version_part(std::string_view text, std::string_view name) {
  if (!all_are_digits(text)) {
    return std::unexpected(std::format("Invalid character(s) found in {}{} number {}", lower(name[0]),
                                       name.substr(1), go_quote(text)));
  }
  if (has_leading_zero(text)) {
    return std::unexpected(std::format("{} number must not contain leading zeroes {}", name, go_quote(text)));
  }
  return read_version_number(text);
}

std::vector<std::string_view> split_version(std::string_view text, char at, std::size_t most = 0) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    if (end == std::string_view::npos || parts.size() + 1 == most) break;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// Cuts what follows the first `at`. @return what follows, or nothing if there is none.
std::pair<std::string_view, bool> cut_after(std::string_view& text, char at) {
  const std::size_t found = text.find(at);
  if (found == std::string_view::npos) return {{}, false};
  const std::string_view rest = text.substr(found + 1);
  text = text.substr(0, found);
  return {rest, true};
}

/// The part without leading zeros; a zero stays where nothing, or no digit, would be first.
std::string without_leading_zeros(std::string_view part) {
  if (part.size() <= 1) return std::string(part);
  part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
  const bool needs_zero = part.empty() || !is_digit(part[0]);
  return (needs_zero ? "0" : "") + std::string(part);
}

}  // namespace

std::expected<SemverValue, std::string> SemverValue::parse(std::string_view text) {
  if (text.empty()) return std::unexpected("Version string empty");
  const auto parts = split_version(text, '.', 3);
  if (parts.size() != 3) return std::unexpected("No Major.Minor.Patch elements found");
  std::string_view patch_text = parts[2];
  const auto [build, has_build] = cut_after(patch_text, '+');
  const auto [prerelease, has_prerelease] = cut_after(patch_text, '-');

  const auto major = read_version_part(parts[0], "Major");
  if (!major) return std::unexpected(major.error());
  const auto minor = read_version_part(parts[1], "Minor");
  if (!minor) return std::unexpected(minor.error());
  const auto patch = read_version_part(patch_text, "Patch");
  if (!patch) return std::unexpected(patch.error());

  SemverValue version;
  version.major_ = *major;
  version.minor_ = *minor;
  version.patch_ = *patch;
  if (has_prerelease) {
    if (auto read = version.read_prerelease(prerelease); !read) return std::unexpected(read.error());
  }
  if (has_build) {
    if (auto read = version.read_build(build); !read) return std::unexpected(read.error());
  }
  return version;
}

std::expected<void, std::string> SemverValue::read_prerelease(std::string_view text) {
  for (const std::string_view part : split_version(text, '.')) {
    if (part.empty()) return std::unexpected("Prerelease is empty");
    if (all_are_digits(part)) {
      if (has_leading_zero(part)) {
        return std::unexpected("Numeric PreRelease version must not contain leading zeroes " +
                               go_quote(part));
      }
      const auto number = read_version_number(part);
      if (!number) return std::unexpected(number.error());
      prerelease_.push_back({.is_number = true, .number = *number, .word = {}});
    } else if (std::ranges::all_of(part, is_identifier)) {
      prerelease_.push_back({.is_number = false, .number = 0, .word = std::string(part)});
    } else {
      return std::unexpected("Invalid character(s) found in prerelease " + go_quote(part));
    }
  }
  return {};
}

std::expected<void, std::string> SemverValue::read_build(std::string_view text) {
  for (const std::string_view part : split_version(text, '.')) {
    if (part.empty()) return std::unexpected("Build meta data is empty");
    if (!std::ranges::all_of(part, is_identifier)) {
      return std::unexpected("Invalid character(s) found in build meta data " + go_quote(part));
    }
    build_.emplace_back(part);
  }
  return {};
}

std::expected<SemverValue, std::string> SemverValue::parse_normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto parts = split_version(text, '.', 3);
  std::array<std::string, 3> numbers{"0", "0", "0"};
  std::ranges::transform(parts, numbers.begin(), without_leading_zeros);
  if (parts.size() < 3 && numbers[parts.size() - 1].find_first_of("+-") != std::string::npos) {
    return std::unexpected("short version cannot contain PreRelease/Build meta data");
  }
  return parse(numbers[0] + '.' + numbers[1] + '.' + numbers[2]);
}

std::string SemverValue::text() const {
  std::string text = std::to_string(major_) + '.' + std::to_string(minor_) + '.' + std::to_string(patch_);
  char before = '-';
  for (const Part& part : prerelease_) {
    text += before;
    text += part.is_number ? std::to_string(part.number) : part.word;
    before = '.';
  }
  before = '+';
  for (const std::string& part : build_) {
    text += before;
    text += part;
    before = '.';
  }
  return text;
}

std::strong_ordering SemverValue::Part::operator<=>(const Part& other) const {
  if (is_number != other.is_number)
    return is_number ? std::strong_ordering::less : std::strong_ordering::greater;
  return is_number ? number <=> other.number : word <=> other.word;
}

std::strong_ordering SemverValue::operator<=>(const SemverValue& other) const {
  if (const auto order = major_ <=> other.major_; order != 0) return order;
  if (const auto order = minor_ <=> other.minor_; order != 0) return order;
  if (const auto order = patch_ <=> other.patch_; order != 0) return order;
  // A release comes after its prereleases.
  if (prerelease_.empty() || other.prerelease_.empty())
    return prerelease_.empty() <=> other.prerelease_.empty();
  return prerelease_ <=> other.prerelease_;
}

}  // namespace winnow::cel
