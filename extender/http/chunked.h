// Chunked bodies (RFC 9112, section 7.1), decoded as they arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "extender/http/head.h"

namespace winnow::http {

/// Takes the framing off. Extensions and trailers are read over, within bounds.
class ChunkDecoder {
 public:
  /// @param body_limit bytes of body, over all chunks; @param trailer_limit bytes of trailer lines.
  ChunkDecoder(std::size_t body_limit, std::size_t trailer_limit)
      : body_limit_(body_limit), trailer_limit_(trailer_limit) {}

  /// Appends what `input` holds of the body to `body`.
  /// @return how much of `input` was used: all, unless done() became true.
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
  std::size_t left_ = 0;      // of the chunk's data
  std::size_t trailers_ = 0;  // bytes of trailer seen
};

}  // namespace winnow::http
