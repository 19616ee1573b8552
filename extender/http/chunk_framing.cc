#include "extender/http/chunk_framing.h"

#include <algorithm>
#include <charconv>

#include "extender/http/framing.h"

namespace winnow::http {
namespace {

constexpr std::size_t kMaxSizeLine = 128;  // 16 hexadecimal digits, and room for extensions

std::unexpected<Refusal> malformed(std::string_view text) {
  return std::unexpected(Refusal{400, Cause::kMalformed, text});
}

// Reads the size at the front of a chunk's first line. "", "-2", "0x1", " 5" and an overflow are errors.
std::expected<std::uint64_t, Refusal> read_size(std::string_view line) {
  std::uint64_t size = 0;
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  const auto digits = line.substr(0, line.find(';'));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return malformed("malformed chunk size");
  return size;
}

}  // namespace

std::expected<std::size_t, Refusal> ChunkFraming::feed(std::string_view input) {
  std::size_t used = 0;
  while (used < input.size() && state_ != State::kDone) {
    if (state_ == State::kData) {
      const auto take = std::min(left_, input.size() - used);
      used += take;
      left_ -= take;
      if (left_ == 0) state_ = State::kDataEnd;
      continue;
    }
    if (auto taken = take_line_byte(input[used++]); !taken) return std::unexpected(taken.error());
  }
  return used;
}

std::expected<void, Refusal> ChunkFraming::take_line_byte(char c) {
  if (++framing_ > body_limit_ + trailer_limit_)
    return std::unexpected(Refusal{413, Cause::kBodyTooLarge, "the body's chunks are too small"});
  if (state_ == State::kTrailer && ++trailers_ > trailer_limit_) {
    return std::unexpected(Refusal{431, Cause::kHeaderTooLarge, "the trailer is too large"});
  }
  if (state_ == State::kSize && line_.size() > kMaxSizeLine)
    return malformed("a chunk's size line is too long");
  if (c != '\n') {
    if (state_ == State::kDataEnd && !(line_.empty() && c == '\r'))
      return malformed("a chunk longer than its size");
    line_.push_back(c);
    return {};
  }
  if (!line_.ends_with('\r')) return malformed("a chunk line that does not end in CR LF");
  line_.pop_back();
  if (!is_field_value(line_)) return malformed("a control character in a chunk line");
  return end_of_line();
}

std::expected<void, Refusal> ChunkFraming::end_of_line() {
  if (state_ == State::kDataEnd) {
    state_ = State::kSize;
  } else if (state_ == State::kTrailer) {
    // Trailers are checked although nobody reads them. Otherwise a next request that follows the last chunk
    // without an empty line would be taken for a trailer.
    if (line_.empty()) {
      state_ = State::kDone;
    } else if (const auto field = check_field(line_); !field) {
      return std::unexpected(field.error());
    }
  } else {
    const auto size = read_size(line_);
    if (!size) return std::unexpected(size.error());
    if (*size > body_limit_ - data_) {
      return std::unexpected(Refusal{413, Cause::kBodyTooLarge, "the body is too large"});
    }
    left_ = static_cast<std::size_t>(*size);
    data_ += left_;
    state_ = left_ == 0 ? State::kTrailer : State::kData;
  }
  line_.clear();
  return {};
}

}  // namespace winnow::http
