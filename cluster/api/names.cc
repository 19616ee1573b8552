#include "cluster/api/names.h"

#include <algorithm>
#include <format>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

constexpr std::size_t kMaxName = 63;
constexpr std::size_t kMaxSubdomain = 253;

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kPrefixRule =
    "subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool is_name_character(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool is_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, is_name_character);
}

void add(std::string& errors, std::string_view error) {
  if (!errors.empty()) errors += "; ";
  errors += error;
}

/// The words in which the generations' error texts differ.
struct Words {
  std::string_view unit, key, subdomain;
};
constexpr Words kClassicWords{"characters", "a qualified name", "a DNS-1123"};
constexpr Words kTodaysWords{"bytes", "a valid label key", "a lowercase RFC 1123"};

const Words& words_of(Generation generation) {
  return generation == Generation::kToday ? kTodaysWords : kClassicWords;
}

std::string too_long(std::size_t most, const Words& words) {
  return std::format("must be no more than {} {}", most, words.unit);
}

void check_prefix(std::string_view prefix, const Words& words, std::string& errors) {
  if (prefix.empty()) return add(errors, "prefix part must be non-empty");
  if (prefix.size() > kMaxSubdomain) add(errors, "prefix part " + too_long(kMaxSubdomain, words));
  if (!is_dns_subdomain(prefix)) add(errors, std::format("prefix part {} {}", words.subdomain, kPrefixRule));
}

}  // namespace

std::string label_key_errors(std::string_view key, Generation generation) {
  const Words& words = words_of(generation);
  std::string errors;
  std::string_view name = key;
  if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
    name = key.substr(slash + 1);
    if (name.contains('/')) {
      return std::format("{} {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                         words.key, kNameRule);
    }
    check_prefix(key.substr(0, slash), words, errors);
  }
  if (name.empty()) add(errors, "name part must be non-empty");
  if (name.size() > kMaxName) add(errors, "name part " + too_long(kMaxName, words));
  if (!is_name(name)) add(errors, std::format("name part {}", kNameRule));
  return errors;
}

std::string label_value_errors(std::string_view value, Generation generation) {
  std::string errors;
  if (value.size() > kMaxName) add(errors, too_long(kMaxName, words_of(generation)));
  if (!value.empty() && !is_name(value)) add(errors, kValueRule);
  return errors;
}

namespace {

constexpr std::size_t kMaxLabel = 63;
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
