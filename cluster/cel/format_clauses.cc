#include "cluster/cel/format_clauses.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <system_error>

namespace winnow::cel {
namespace {

/// Upstream has no limit. More digits than a double can have need none.
constexpr int kLongestPrecision = 100'000;

constexpr std::string_view kFails = "could not parse formatting clause: ";

/// @param text  begins behind the percent sign.
std::expected<int, std::string> read_precision(std::string_view& text) {
  if (!text.starts_with('.')) return -1;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  if (end == text.size()) return std::unexpected("could not find end of precision specifier");
  int precision = 0;
  const auto error = std::from_chars(text.data() + 1, text.data() + end, precision).ec;
  if (error != std::errc())
    return std::unexpected(
        "error while converting precision to integer: strconv.Atoi: parsing \"" +
        std::string(text.substr(1, end - 1)) +
        (error == std::errc::result_out_of_range ? "\": value out of range" : "\": invalid syntax"));
  if (precision > kLongestPrecision) return std::unexpected("the precision is too large");
  text.remove_prefix(end);
  return precision;
}

}  // namespace

std::expected<FormatPart, std::string> next_format_part(std::string_view& text) {
  FormatPart part;
  if (text.front() != '%') {
    const std::size_t end = std::min(text.find('%'), text.size());
    part.text = text.substr(0, end);
    text.remove_prefix(end);
    return part;
  }
  text.remove_prefix(1);
  if (text.starts_with('%')) {
    text.remove_prefix(1);
    part.text = "%";
    return part;
  }
  if (text.empty()) return std::unexpected("unexpected end of string");
  const auto precision = read_precision(text);
  if (!precision)
    return std::unexpected(std::format("{}error while parsing precision: {}", kFails, precision.error()));
  part.precision = *precision;
  part.verb = text.front();
  if (!std::string_view("sdfebxXo").contains(part.verb))
    return std::unexpected(std::format("{}unrecognized formatting clause \"{}\"", kFails, part.verb));
  text.remove_prefix(1);
  return part;
}

}  // namespace winnow::cel
