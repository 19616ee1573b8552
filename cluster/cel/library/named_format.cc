#include "cluster/cel/library/named_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "cluster/cel/library/libraries.h"
#include "cluster/cel/times.h"
#include "cluster/cel/url_value.h"

namespace winnow::cel {
namespace {

using Errors = std::vector<std::string>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) { return is_lower(c) || is_upper(c) || is_digit(c); }
bool is_lower_word(char c) { return is_lower(c) || is_digit(c); }

/// Whether the text is characters with `inner` ones between them, and begins and ends with the others.
bool is_framed(std::string_view text, bool (*outer)(char), std::string_view inner) {
  return !text.empty() && outer(text.front()) && outer(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return outer(c) || inner.contains(c); });
}

bool is_label(std::string_view text) { return is_framed(text, is_lower_word, "-"); }
bool is_subdomain(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string too_long(std::size_t most, std::string_view unit) {
  return "must be no more than " + std::to_string(most) + " " + std::string(unit);
}

constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestSubdomain = 253;

Errors label_errors(std::string_view text) {
  Errors errors;
  if (text.size() > kLongestLabel) errors.push_back(too_long(kLongestLabel, "characters"));
  if (is_label(text)) return errors;
  errors.emplace_back(
      is_subdomain(text)
          ? "must not contain dots"
          : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
            "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
            "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  return errors;
}

Errors subdomain_errors_in(std::string_view text, std::string_view unit) {
  Errors errors;
  if (text.size() > kLongestSubdomain) errors.push_back(too_long(kLongestSubdomain, unit));
  if (!is_subdomain(text))
    errors.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
        "must start "
        "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  return errors;
}
Errors subdomain_errors(std::string_view text) { return subdomain_errors_in(text, "characters"); }

Errors label_1035_errors(std::string_view text) {
  Errors errors;
  if (text.size() > kLongestLabel) errors.push_back(too_long(kLongestLabel, "characters"));
  if (!is_label(text) || !is_lower(text.front()))
    errors.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic "
        "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
        "validation "
        "is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  return errors;
}

/// A dash at the end, to which something will be appended, counts as a letter with what is before it.
template <Errors (*errors)(std::string_view)>
Errors of_prefix(std::string_view text) {
  if (text.size() < 2 || !text.ends_with('-')) return errors(text);
  return errors(std::string(text.substr(0, text.size() - 2)) + "a");
}

constexpr std::string_view kNameError =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

Errors qualified_name_errors(std::string_view text) {
  Errors errors;
  if (std::ranges::count(text, '/') > 1) {
    errors.push_back("a valid label key " + std::string(kNameError) +
                     " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return errors;
  }
  std::string_view name = text;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (prefix.empty()) errors.emplace_back("prefix part must be non-empty");
    if (!prefix.empty())
      for (const std::string& error : subdomain_errors_in(prefix, "bytes"))
        errors.push_back("prefix part " + error);
  }
  if (name.empty()) errors.emplace_back("name part must be non-empty");
  if (name.size() > kLongestLabel) errors.push_back("name part " + too_long(kLongestLabel, "bytes"));
  if (!is_framed(name, is_word, "-_.")) errors.push_back("name part " + std::string(kNameError));
  return errors;
}

Errors label_value_errors(std::string_view text) {
  Errors errors;
  if (text.size() > kLongestLabel) errors.push_back(too_long(kLongestLabel, "bytes"));
  if (!text.empty() && !is_framed(text, is_word, "-_."))
    errors.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
        "must start "
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
        "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  return errors;
}

Errors uri_errors(std::string_view text) {
  auto wrong = UrlValue::why_not(text);
  if (!wrong) return {};
  return {std::move(*wrong)};
}

bool is_uuid(std::string_view text) {
  const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  constexpr std::array<std::size_t, 5> kGroups = {8, 4, 4, 4, 12};
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    if (group > 0 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < kGroups[group] || !std::ranges::all_of(text.substr(0, kGroups[group]), is_hex))
      return false;
    text.remove_prefix(kGroups[group]);
  }
  return text.empty();
}
Errors uuid_errors(std::string_view text) {
  return is_uuid(text) ? Errors{} : Errors{"does not match the UUID format"};
}

/// Groups of four characters; the last one may end in one or two "=".
bool is_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  if (text.ends_with("==")) text.remove_suffix(2);
  if (text.ends_with("=")) text.remove_suffix(text.size() % 4 == 0 ? 1 : 0);
  return std::ranges::all_of(text, [](char c) { return is_word(c) || c == '+' || c == '/'; });
}
Errors byte_errors(std::string_view text) { return is_base64(text) ? Errors{} : Errors{"invalid base64"}; }

bool is_date(std::string_view text) {
  return parse_timestamp(std::string(text) + "T00:00:00Z").has_value() && text.size() == 10;
}
Errors date_errors(std::string_view text) { return is_date(text) ? Errors{} : Errors{"invalid date"}; }

/// As the pattern `^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$` takes it.
bool is_time(std::string_view text) {
  const auto matches = [&](std::string_view form) {
    if (text.size() < form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i)
      if (form[i] == '0' ? !is_digit(text[i]) : form[i] != text[i]) return false;
    text.remove_prefix(form.size());
    return true;
  };
  const std::string_view start = text.substr(0, 8);
  if (!matches("00:00:00")) return false;
  if (start.substr(0, 2) > "23" || start.substr(3, 2) > "59" || start.substr(6, 2) > "59") return false;
  // Any character may stand for the dot.
  const std::string_view rest = text;
  const auto ends = [&] {
    if (text == "z") return true;
    if (!text.starts_with('+') && !text.starts_with('-')) return false;
    text.remove_prefix(1);
    return matches("00:00") && text.empty();
  };
  if (ends()) return true;
  text = rest;
  if (text.size() < 2) return false;
  std::size_t digits = 1;
  while ((static_cast<unsigned char>(text[digits]) & 0xC0) == 0x80 && digits + 1 < text.size()) ++digits;
  const std::size_t first = digits;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == first || text[0] == '\n') return false;
  text.remove_prefix(digits);
  return ends();
}

Errors datetime_errors(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; });
  const std::size_t t = lower.find('t');
  const bool valid = t != std::string::npos && is_date(std::string_view(lower).substr(0, t)) &&
                     is_time(std::string_view(lower).substr(t + 1, lower.find('t', t + 1) - t - 1));
  return valid ? Errors{} : Errors{"invalid datetime"};
}

constexpr std::array kFormats = std::to_array<NamedFormat>({
    {"dns1123Label", "DNS1123Label", label_errors, 30},
    {"dns1123Subdomain", "DNS1123Subdomain", subdomain_errors, 60},
    {"dns1035Label", "DNS1035Label", label_1035_errors, 30},
    {"qualifiedName", "QualifiedName", qualified_name_errors, 60},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", of_prefix<label_errors>, 30},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", of_prefix<subdomain_errors>, 60},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", of_prefix<label_1035_errors>, 30},
    {"labelValue", "LabelValue", label_value_errors, 40},
    {"uri", "URI", uri_errors, 1103},
    {"uuid", "uuid", uuid_errors, 70},
    {"byte", "byte", byte_errors, 84},
    {"date", "date", date_errors, 71},
    {"datetime", "datetime", datetime_errors, 71},
});

class FormatHolder : public Opaque {
 public:
  explicit FormatHolder(const NamedFormat& format) : format_(format) {}
  const NamedFormat& format() const { return format_; }
  std::string_view type_name() const override { return "kubernetes.NamedFormat"; }
  Value equal(const Value& other) const override {
    const NamedFormat* format = as_named_format(other);
    return format == nullptr ? no_such_overload(other) : Value::boolean(format->title == format_.title);
  }
  std::string text() const override { return std::string(format_.title); }

 private:
  const NamedFormat& format_;
};

template <std::size_t index>
Value constant_format(Arguments) {
  return Value::opaque(new FormatHolder(kFormats[index]));
}

Value named(Arguments arguments) {
  const auto* found = std::ranges::find(kFormats, arguments[0].text(), &NamedFormat::name);
  if (found == kFormats.end()) return Value::optional_none();
  return Value::optional_of(Value::opaque(new FormatHolder(*found)));
}

Value validate(Arguments arguments) {
  const NamedFormat* format = as_named_format(arguments[0]);
  if (format == nullptr) return no_such_overload(arguments[0]);
  std::vector<Value> errors;
  for (std::string& error : format->validate(arguments[1].text()))
    errors.push_back(Value::string(std::move(error)));
  return errors.empty() ? Value::optional_none() : Value::optional_of(Value::list_of(std::move(errors)));
}

template <std::size_t... index>
void add_constants(Environment& environment, const Type& type, std::index_sequence<index...>) {
  const auto add = [&](std::string_view name, Implementation call) {
    const std::string full = "format." + std::string(name);
    environment.add_function({full, {overload(full, {}, type, call)}});
  };
  (add(kFormats[index].name, constant_format<index>), ...);
}

}  // namespace

const NamedFormat* as_named_format(const Value& value) {
  if (!value.is(Kind::kOpaque)) return nullptr;
  const auto* holder = dynamic_cast<const FormatHolder*>(&value.as_opaque());
  return holder == nullptr ? nullptr : &holder->format();
}

void add_named_formats(Environment& environment) {
  const Type format = Type::object("kubernetes.NamedFormat");
  const Type text = Type::string();
  environment.add_function(
      {"format.named", {overload("format-named", {text}, Type::optional(format), named)}});
  environment.add_function(
      {"validate", {member("format-validate", {format, text}, Type::optional(Type::list(text)), validate)}});
  add_constants(environment, format, std::make_index_sequence<kFormats.size()>());
}

}  // namespace winnow::cel
