#include "cluster/cel/url_value.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/ip_value.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow::cel {
namespace {

/// The part of a URL that a character stands in, which decides whether it is escaped.
enum class UrlPart : std::uint8_t { kPath, kHost, kZone, kUserPassword, kQuery, kFragment };

/// The most parameters of a query.
constexpr std::ptrdiff_t kMostParameters = 10'000;

std::string_view unescaped_marks(UrlPart part) {
  switch (part) {
    case UrlPart::kPath:
      return "-_.~$&+,/:;=@";
    case UrlPart::kHost:
    case UrlPart::kZone:
      return "-_.~!\"$&'()*+,:;<=>[]";
    case UrlPart::kUserPassword:
      return "-_.~$&+,;=";
    case UrlPart::kQuery:
      return "-_.~";
    case UrlPart::kFragment:
      return "-_.~!$&()*+,/:;=?@";
  }
  return {};
}

bool must_escape(char c, UrlPart part) { return !is_alphanumeric(c) && !unescaped_marks(part).contains(c); }

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Whether the escape, "%25" for example, may stand in this part.
bool allows_escape(std::string_view escape, char c, UrlPart part) {
  if (escape == "%25") return true;
  // In a host, only what is not ASCII may be escaped; in a zone, also what the host allows, and a blank.
  if (part == UrlPart::kHost) return hex_digit(escape[1]) >= 8;
  if (part == UrlPart::kZone) return c == ' ' || !must_escape(c, UrlPart::kHost);
  return true;
}

std::expected<std::string, std::string> url_unescape(std::string_view text, UrlPart part) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const std::string_view escape = text.substr(i, 3);
      const auto wrong = [escape] { return std::unexpected("invalid URL escape " + go_quote(escape)); };
      if (escape.size() < 3 || hex_digit(escape[1]) < 0 || hex_digit(escape[2]) < 0) return wrong();
      const char meant = static_cast<char>(hex_digit(escape[1]) * 16 + hex_digit(escape[2]));
      if (!allows_escape(escape, meant, part)) return wrong();
      result += meant;
      i += 2;
    } else if (c == '+' && part == UrlPart::kQuery) {
      result += ' ';
    } else if ((part == UrlPart::kHost || part == UrlPart::kZone) && is_ascii(c) && must_escape(c, part)) {
      return std::unexpected("invalid character " + go_quote({&c, 1}) + " in host name");
    } else {
      result += c;
    }
  }
  return result;
}

std::string url_escape(std::string_view text, UrlPart part) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (!must_escape(c, part)) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return result;
}

/// Whether the text may stand in the part as it is.
bool is_valid_encoded(std::string_view text, UrlPart part) {
  static constexpr std::string_view kMarks = "!$&'()*+,;=:@[]%";
  return std::ranges::none_of(text, [part](char c) { return !kMarks.contains(c) && must_escape(c, part); });
}

/// The part as it was written where that is valid and means the same, or escaped anew.
std::string as_written(const std::string& raw, const std::string& meant, UrlPart part) {
  if (!raw.empty() && is_valid_encoded(raw, part)) {
    const auto unescaped = url_unescape(raw, part);
    if (unescaped && *unescaped == meant) return raw;
  }
  return url_escape(meant, part);
}

/// Splits at the first `at`. @return what precedes it; `text` is what follows, or empty.
std::string_view cut_at(std::string_view& text, char at) {
  const std::size_t found = text.find(at);
  const std::string_view before = text.substr(0, found);
  text = found == std::string_view::npos ? std::string_view() : text.substr(found + 1);
  return before;
}

/// A port that may be missing: nothing, or a colon with digits, or a colon alone.
bool is_optional_port(std::string_view text) {
  return text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), is_digit));
}

bool is_userinfo(std::string_view text) {
  static constexpr std::string_view kMarks = "-._:~!$&'()*+,;=%@";
  return std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || kMarks.contains(c); });
}

}  // namespace

/// Go's url.parse, setting the parts of one URL.
class UrlParser {
 public:
  /// Reads a URL without a fragment. @return what is wrong, or nothing.
  std::optional<std::string> read(std::string_view text, bool is_request);
  std::optional<std::string> read_fragment(std::string_view text);
  UrlValue take() { return std::move(url_); }

 private:
  std::optional<std::string> read_scheme(std::string_view& rest);
  void read_query(std::string_view& rest);
  std::optional<std::string> read_authority(std::string_view authority);
  std::optional<std::string> read_user(std::string_view text);
  std::optional<std::string> read_host(std::string_view text);
  std::optional<std::string> read_literal(std::string_view text);
  std::optional<std::string> read_path(std::string_view text);

  UrlValue url_;
};

std::optional<std::string> UrlParser::read(std::string_view text, bool is_request) {
  if (std::ranges::any_of(text, is_control)) return "net/url: invalid control character in URL";
  if (text.empty() && is_request) return "empty url";
  if (text == "*") {
    url_.path_ = "*";
    return std::nullopt;
  }
  std::string_view rest = text;
  if (auto wrong = read_scheme(rest)) return wrong;
  read_query(rest);
  if (!rest.starts_with('/')) {
    if (!url_.scheme_.empty()) {
      url_.opaque_ = rest;
      return std::nullopt;
    }
    if (is_request) return "invalid URI for request";
    if (rest.substr(0, rest.find('/')).contains(':')) {
      return "first path segment in URL cannot contain colon";
    }
  }
  const bool may_have_host = !url_.scheme_.empty() || (!is_request && !rest.starts_with("///"));
  if (may_have_host && rest.starts_with("//")) {
    const std::size_t slash = rest.find('/', 2);
    const std::string_view authority = rest.substr(2, slash == std::string_view::npos ? slash : slash - 2);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
    if (auto wrong = read_authority(authority)) return wrong;
  } else if (!url_.scheme_.empty() && rest.starts_with('/')) {
    url_.omit_host_ = true;
  }
  return read_path(rest);
}

std::optional<std::string> UrlParser::read_scheme(std::string_view& rest) {
  const auto is_mark = [](char c) { return is_digit(c) || c == '+' || c == '-' || c == '.'; };
  std::size_t end = 0;
  while (end < rest.size() &&
         ((is_lower(rest[end]) || is_upper(rest[end])) || (end > 0 && is_mark(rest[end]))))
    ++end;
  if (end == rest.size() || rest[end] != ':') return std::nullopt;
  if (end == 0) return "missing protocol scheme";
  for (const char c : rest.substr(0, end)) url_.scheme_ += lower(c);
  rest.remove_prefix(end + 1);
  return std::nullopt;
}

void UrlParser::read_query(std::string_view& rest) {
  if (rest.ends_with('?') && std::ranges::count(rest, '?') == 1) {
    url_.force_query_ = true;
    rest.remove_suffix(1);
    return;
  }
  std::string_view query = rest;
  rest = cut_at(query, '?');
  url_.raw_query_ = query;
}

std::optional<std::string> UrlParser::read_authority(std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return read_host(authority);
  if (auto wrong = read_host(authority.substr(at + 1))) return wrong;
  return read_user(authority.substr(0, at));
}

std::optional<std::string> UrlParser::read_user(std::string_view text) {
  if (!is_userinfo(text)) return "net/url: invalid userinfo";
  const bool has_password = text.contains(':');
  std::string_view password_text = text;
  auto name = url_unescape(cut_at(password_text, ':'), UrlPart::kUserPassword);
  if (!name) return name.error();
  url_.user_ = UrlValue::User{std::move(*name), std::nullopt};
  if (!has_password) return std::nullopt;
  auto password = url_unescape(password_text, UrlPart::kUserPassword);
  if (!password) return password.error();
  url_.user_->password = std::move(*password);
  return std::nullopt;
}

std::optional<std::string> UrlParser::read_host(std::string_view text) {
  const std::size_t bracket = text.rfind('[');
  if (bracket == 0) return read_literal(text);
  if (bracket != std::string_view::npos) return "invalid IP-literal";
  if (const std::size_t first = text.find(':'); first != std::string_view::npos) {
    // Only for http is a second colon wrong.
    const bool is_strict = url_.scheme_ == "http" || url_.scheme_ == "https";
    const std::string_view port = text.substr(is_strict ? first : text.rfind(':'));
    if (!is_optional_port(port)) return "invalid port " + go_quote(port) + " after host";
  }
  auto host = url_unescape(text, UrlPart::kHost);
  if (!host) return host.error();
  url_.host_ = std::move(*host);
  return std::nullopt;
}

/// Reads an IPv6 address in brackets, with its zone and port.
std::optional<std::string> UrlParser::read_literal(std::string_view text) {
  const std::size_t end = text.rfind(']');
  if (end == std::string_view::npos) return "missing ']' in host";
  const std::string_view port = text.substr(end + 1);
  if (!is_optional_port(port)) return "invalid port " + go_quote(port) + " after host";
  const std::string_view name = text.substr(1, end - 1);
  const std::size_t zone = name.find("%25");
  const auto address = url_unescape(name.substr(0, zone), UrlPart::kHost);
  if (!address) return address.error();
  std::string literal = *address;
  if (zone != std::string_view::npos) {
    const auto zone_text = url_unescape(name.substr(zone), UrlPart::kZone);
    if (!zone_text) return zone_text.error();
    literal += *zone_text;
  }
  if (!is_v6_with_zone(literal)) return "invalid host: " + go_quote(literal);
  url_.host_ = '[' + literal + ']' + std::string(port);
  return std::nullopt;
}

std::optional<std::string> UrlParser::read_path(std::string_view text) {
  auto path = url_unescape(text, UrlPart::kPath);
  if (!path) return path.error();
  url_.path_ = std::move(*path);
  if (url_escape(url_.path_, UrlPart::kPath) != text) url_.raw_path_ = text;
  return std::nullopt;
}

std::optional<std::string> UrlParser::read_fragment(std::string_view text) {
  auto fragment = url_unescape(text, UrlPart::kFragment);
  if (!fragment) return fragment.error();
  url_.fragment_ = std::move(*fragment);
  if (url_escape(url_.fragment_, UrlPart::kFragment) != text) url_.raw_fragment_ = text;
  return std::nullopt;
}

namespace {

std::string parse_error(std::string_view text, std::string_view why) {
  return "parse " + go_quote(text, text.size()) + ": " + std::string(why);
}

}  // namespace

std::optional<std::string> UrlValue::why_not(std::string_view text) {
  const auto wrong = UrlParser().read(text, true);
  if (!wrong) return std::nullopt;
  return parse_error(text, *wrong);
}

std::expected<UrlValue, std::string> UrlValue::parse(std::string_view text) {
  const auto told = [](const std::string& why) {
    return std::unexpected("URL parse error during conversion from string: " + why);
  };
  if (const auto wrong = why_not(text)) return told(*wrong);
  // A request has no fragment. So the text is read again, where "#" begins one.
  UrlParser parser;
  std::string_view fragment = text;
  const std::string_view before = cut_at(fragment, '#');
  if (const auto wrong = parser.read(before, false)) return told(parse_error(before, *wrong));
  if (!fragment.empty()) {
    if (const auto wrong = parser.read_fragment(fragment)) return told(parse_error(text, *wrong));
  }
  return parser.take();
}

std::string UrlValue::hostname() const {
  const std::size_t colon = host_.rfind(':');
  std::string_view name = host_;
  if (colon != std::string::npos && is_optional_port(name.substr(colon))) name = name.substr(0, colon);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return std::string(name);
}

std::string UrlValue::port() const {
  const std::size_t colon = host_.rfind(':');
  if (colon == std::string::npos || !is_optional_port(std::string_view(host_).substr(colon))) return {};
  return host_.substr(colon + 1);
}

std::string UrlValue::escaped_path() const {
  if (path_ == "*" && raw_path_.empty()) return path_;
  return as_written(raw_path_, path_, UrlPart::kPath);
}

std::map<std::string, std::vector<std::string>> UrlValue::query() const {
  std::map<std::string, std::vector<std::string>> parameters;
  if (std::ranges::count(raw_query_, '&') >= kMostParameters) return parameters;
  std::string_view rest = raw_query_;
  while (!rest.empty()) {
    std::string_view value_text = cut_at(rest, '&');
    if (value_text.empty() || value_text.contains(';')) continue;
    const auto name = url_unescape(cut_at(value_text, '='), UrlPart::kQuery);
    auto value = url_unescape(value_text, UrlPart::kQuery);
    if (name && value) parameters[*name].push_back(std::move(*value));
  }
  return parameters;
}

void UrlValue::append_authority(std::string& text) const {
  if (scheme_.empty() && host_.empty() && !user_) return;
  if (omit_host_ && host_.empty() && !user_) return;
  if (!host_.empty() || !path_.empty() || user_) text += "//";
  if (user_) {
    text += url_escape(user_->name, UrlPart::kUserPassword);
    if (user_->password) text += ':' + url_escape(*user_->password, UrlPart::kUserPassword);
    text += '@';
  }
  text += url_escape(host_, UrlPart::kHost);
}

std::string UrlValue::text() const {
  std::string text;
  if (!scheme_.empty()) text = scheme_ + ':';
  if (!opaque_.empty()) {
    text += opaque_;
  } else {
    append_authority(text);
    const std::string path = escaped_path();
    if (!path.empty() && path[0] != '/' && !host_.empty()) text += '/';
    if (text.empty() && std::string_view(path).substr(0, path.find('/')).contains(':')) text += "./";
    text += path;
  }
  if (force_query_ || !raw_query_.empty()) text += '?' + raw_query_;
  if (!fragment_.empty()) text += '#' + as_written(raw_fragment_, fragment_, UrlPart::kFragment);
  return text;
}

}  // namespace winnow::cel
