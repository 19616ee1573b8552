// The check of chunked bodies (RFC 9112, section 7.1): where does the body end? It works on the pieces as
// they arrive, and decodes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "extender/http/refusal.h"

namespace winnow::http {

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
