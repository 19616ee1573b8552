// The parser of request heads.
//
// The head says where the request ends, and the server must know that before a handler runs. So the server
// parses it itself, and cpp-httplib does not. A second parser would cost another copy, and might find
// another end in the same bytes: that is request smuggling. This parser accepts less than RFC 9112 allows,
// and nothing that Go's net/http refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "extender/http/message.h"

namespace winnow::http {

/// A refusal that the server answers itself. `text` is one line, and points to constant storage.
struct Refusal {
  int status;
  Cause cause;
  std::string_view text;
};

/// The parts of a head that the server uses.
struct Head {
  std::string method;
  std::string path;
  std::string query;
  std::string content_type;
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool expect_continue = false;
  bool keep_alive = true;
  bool http10 = false;
};

/// Finds the end of a head that arrives in pieces, and looks at each byte once. Input that can never become
/// a head is refused early: TLS, HTTP/0.9, lines that end without CR.
class HeadScanner {
 public:
  /// @param input all bytes since the request's first one.
  /// @return the length of the head with its empty line; 0 while the head is not complete.
  std::expected<std::size_t, Refusal> scan(std::string_view input, const Limits& limits);
  void reset() { *this = HeadScanner(); }

 private:
  std::size_t line_ = 0;  // the offset of the current line
  std::size_t from_ = 0;  // the offset up to which the input has been scanned
};

/// A header field. Both parts point into the line that was parsed.
struct Field {
  std::string_view name;
  std::string_view value;  ///< without the blanks around it
};

/// Whether a header may have this value: no control characters except tabs. Bytes over 127 are opaque, as RFC
/// 9110 has them.
bool is_field_value(std::string_view text);

/// Parses one line of a header or trailer. @param line not empty, without its CR LF.
std::expected<Field, Refusal> parse_field(std::string_view line);

/// Parses a complete head. The caller checks Limits::body_bytes.
std::expected<Head, Refusal> parse_head(std::string_view text, const Limits& limits);

}  // namespace winnow::http
