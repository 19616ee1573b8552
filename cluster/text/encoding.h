// Encodings: base64 with padding (RFC 4648, section 4), percent-encoding, and the query part of a path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace winnow {

std::string to_base64(std::string_view bytes);
/// The decoded bytes; nothing if the text is invalid. Line ends are skipped, as in Go.
std::optional<std::string> from_base64(std::string_view text);

// Percent-encoding of text in a URL (RFC 3986, section 2.1).

/// The text with all bytes as %XX, except unreserved characters (letters, digits, "-._~").
std::string percent_encoded(std::string_view text);

/// The text with each %XX decoded. A "%" without two hexadecimal digits is unchanged.
std::string percent_decoded(std::string_view text);

// The query part of a request's path.

/// A path with a query. add() appends "?name=value", then "&name=value". Values are percent-encoded, and
/// empty ones are left out.
class Query {
 public:
  explicit Query(std::string_view path) : text_(path) {}

  Query& add(std::string_view name, std::string_view value);
  const std::string& path() const { return text_; }

 private:
  std::string text_;
  char joint_ = '?';
};

/// The value of a parameter in a query, percent-decoded, with "+" for a blank; "" if it has none.
/// @param query  the part of a path behind '?'.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace winnow
