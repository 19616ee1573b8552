#include "cluster/api/object_name.h"

#include <algorithm>
#include <format>

#include "cluster/text/ascii.h"

namespace winnow {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxSubdomain = 253;

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and "
    "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

bool is_lower_or_digit(char c) { return is_lower(c) || is_digit(c); }

std::string errors_of(bool too_long, std::size_t most, bool is_valid, std::string_view rule) {
  std::string errors;
  if (too_long) errors = std::format("must be no more than {} bytes", most);
  if (!is_valid) errors.append(errors.empty() ? "" : "; ").append(rule);
  return errors;
}

}  // namespace

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string object_name_errors(std::string_view name) {
  return errors_of(name.size() > kMaxSubdomain, kMaxSubdomain, is_dns_subdomain(name), kSubdomainRule);
}

std::string namespace_name_errors(std::string_view name) {
  return errors_of(name.size() > kMaxLabel, kMaxLabel, is_dns_label(name), kLabelRule);
}

}  // namespace winnow
