// The head of a request. Written here, and not left to cpp-httplib, because the head decides where the
// request ends and that must be known before a thread is given to it: a second parser behind this one would
// cost another copy of everything and could see another end in the same bytes, which is how requests are
// smuggled. It takes less than RFC 9112 allows and nothing that Go's net/http refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "extender/http/message.h"

namespace winnow::http {

/// A refusal as the client is told it. `text` is one line of constant storage.
struct Refusal {
  int status;
  Cause cause;
  std::string_view text;
};

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

/// Finds the end of a head that arrives in pieces, looking at each byte once. Refuses early what can never
/// become a head: TLS, HTTP/0.9, lines that end without CR.
class HeadScanner {
 public:
  /// @param input everything since the request's first byte.
  /// @return the length of the head with its empty line, 0 when it is not complete.
  std::expected<std::size_t, Refusal> scan(std::string_view input, const Limits& limits);
  void reset() { *this = HeadScanner(); }

 private:
  std::size_t line_ = 0;  // where the current line begins
  std::size_t from_ = 0;  // what has been looked at
};

struct Field {
  std::string_view name;
  std::string_view value;  ///< without the blanks around it
};

/// One line of a header or trailer, without its CR LF and not empty.
std::expected<Field, Refusal> parse_field(std::string_view line);

/// Reads a complete head. Does not look at the limit of the body.
std::expected<Head, Refusal> parse_head(std::string_view text, const Limits& limits);

}  // namespace winnow::http
