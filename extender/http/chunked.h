// The decoder of chunked bodies (RFC 9112, section 7.1). It works on the pieces as they arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "extender/http/head.h"

namespace winnow::http {

/// Removes the framing of one body. Chunk extensions and trailers are skipped; their lengths are bounded.
class ChunkDecoder {
 public:
  /// @param body_limit the largest body in bytes, all chunks together.
  /// @param trailer_limit the most bytes of trailer lines.
  ChunkDecoder(std::size_t body_limit, std::size_t trailer_limit)
      : body_limit_(body_limit), trailer_limit_(trailer_limit) {}

  /// Decodes a piece of the connection's bytes, and appends the data in it to `body`.
  /// @return the number of bytes of `input` that were used: all of them, unless done() became true.
  std::expected<std::size_t, Refusal> feed(std::string_view input, std::string& body);
  bool done() const { return state_ == State::kDone; }

 private:
  enum class State : std::uint8_t { kSize, kData, kDataEnd, kTrailer, kDone };

  std::expected<void, Refusal> end_of_line(const std::string& body);
  std::expected<void, Refusal> take_line_byte(char c, const std::string& body);

  std::size_t body_limit_;
  std::size_t trailer_limit_;
  State state_ = State::kSize;
  std::string line_;          // the size line or trailer line so far, with its CR
  std::size_t left_ = 0;      // bytes of the chunk's data still to come
  std::size_t trailers_ = 0;  // bytes of trailer lines seen
};

}  // namespace winnow::http
