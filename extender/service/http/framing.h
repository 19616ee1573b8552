// The check of heads and of chunked bodies: where do they end, and could another parser see another end?
//
// cpp-httplib parses the requests. But it blocks while it reads, so the server must know where a request ends
// before the library gets it. And the library is lax: it skips lines without CR, percent-decodes values, and
// takes two equal lengths or none at all. A proxy in front of it could see another end in the same bytes,
// which is request smuggling. So the head is checked first, and refused where two parsers could differ. The
// check decodes nothing. It accepts less than RFC 9112 allows, and nothing that Go's net/http refuses.
// tests/extender/service/http/library_test.cc shows what the library would take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "extender/service/http/message.h"

namespace winnow::http {

/// What follows from a head for the request's end, and for the connection.
struct Framing {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool expect_continue = false;
  bool keep_alive = true;
  bool http10 = false;
  std::string request_id;  ///< The client's, if it is taken; of several the first. "": it has none.
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

/// Checks a complete head. The caller checks Limits::body_bytes.
/// @param passed is set to the head as the library is to get it: the request line, and the lines of those
/// fields that the library needs or a handler reads. Others, such as Range, Accept and Expect, the library
/// would act on.
std::expected<Framing, Refusal> check_head(std::string_view text, const Limits& limits, std::string& passed);

/// The method, path, query and token of a head that check_head() has passed on, as the router will find them
/// in it. For decisions before the body has come.
Request request_of(std::string_view passed);

/// Checks one line of a header or trailer. @param line not empty, without its CR LF.
std::expected<void, Refusal> check_field(std::string_view line);

/// Whether a header may have this value: no control characters except tabs. Bytes over 127 are opaque, as RFC
/// 9110 has them.
bool is_field_value(std::string_view text);

/// A target in absolute form ("http://host/path") from its path on; any other target as it is. Proxies send
/// the absolute form.
std::string_view without_authority(std::string_view target);

// The check of chunked bodies (RFC 9112, section 7.1): where does the body end? It works on the pieces as
// they arrive, and decodes nothing.

/// Finds the end of one body. The lengths of chunk extensions and trailers are bounded. So is the framing of
/// the whole body: it may be as long as the longest body, since it is kept until the library has read it.
class ChunkFraming {
 public:
  /// @param body_limit the largest body in bytes, all chunks together.
  /// @param trailer_limit the most bytes of trailer lines.
  ChunkFraming(std::size_t body_limit, std::size_t trailer_limit)
      : body_limit_(body_limit), trailer_limit_(trailer_limit) {}

  /// Checks a piece of the connection's bytes.
  /// @return the number of bytes of `input` that belong to the body: all of them, unless done() became true.
  std::expected<std::size_t, Refusal> feed(std::string_view input);
  bool done() const { return state_ == State::kDone; }

 private:
  enum class State : std::uint8_t { kSize, kData, kDataEnd, kTrailer, kDone };

  std::expected<void, Refusal> end_of_line();
  std::expected<void, Refusal> take_line_byte(char c);

  std::size_t body_limit_;
  std::size_t trailer_limit_;
  State state_ = State::kSize;
  std::string line_;          // the size line or trailer line so far, with its CR
  std::size_t left_ = 0;      // bytes of the chunk's data still to come
  std::size_t data_ = 0;      // bytes of data in all chunks whose size is known
  std::size_t framing_ = 0;   // bytes that are not data
  std::size_t trailers_ = 0;  // bytes of trailer lines seen
};

}  // namespace winnow::http
