#include "cluster/text/json.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <format>
#include <limits>
#include <string_view>
#include <utility>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

constexpr unsigned kParseFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag |
                                 rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseNumbersAsStringsFlag;

/// So many bytes of a string are looked at at once: as many as there are zeros behind a text.
constexpr std::size_t kRunBytes = sizeof(std::uint64_t);
static_assert(kRunBytes <= kJsonPadding);
static_assert(std::endian::native == std::endian::little, "plain_run() takes the lowest byte for the first");

/// How many of the kRunBytes at `at` stand before the first quote, backslash or control character.
std::size_t plain_run(const char* at) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kTop = 0x80 * kEach;
  // The top bit of a byte is set where the byte was zero. Above the first such byte a borrow may set others.
  const auto zeros = [](std::uint64_t bytes) { return (bytes - kEach) & ~bytes; };
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  const std::uint64_t controls = (bytes - ' ' * kEach) & ~bytes;
  const std::uint64_t ends = controls | zeros(bytes ^ '"' * kEach) | zeros(bytes ^ '\\' * kEach);
  return static_cast<std::size_t>(std::countr_zero(ends & kTop)) / 8;
}

/// RapidJSON's in-situ stream with a line counter. A raw line end is valid only between tokens, so each one
/// passes through Take.
class LineStream {
 public:
  using Ch = char;

  LineStream(char* text, char* line_start, std::size_t line)
      : at_(text), head_(text), line_start_(line_start), line_(line) {}

  char Peek() const { return *at_; }
  char Take() {
    const char c = *at_++;
    if (c == '\n') {
      ++line_;
      line_start_ = at_;
    }
    return c;
  }
  std::size_t Tell() const { return static_cast<std::size_t>(at_ - head_); }

  char* PutBegin() { return write_ = at_; }
  void Put(char c) { *write_++ = c; }
  std::size_t PutEnd(const char* begin) { return static_cast<std::size_t>(write_ - begin); }
  char* Push(std::size_t count) { return std::exchange(write_, write_ + count); }
  void Pop(std::size_t count) { write_ -= count; }
  void Flush() {}

  /// Takes and puts a string's bytes up to the first that is not plain. No line ends among them, and the zero
  /// behind the text is not plain.
  void take_run() {
    std::size_t plain = 0;
    do {
      plain = plain_run(at_);
      if (write_ != at_) std::memmove(write_, at_, plain);
      at_ += plain;
      write_ += plain;
    } while (plain == kRunBytes);
  }
  void skip_space() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') Take();
  }

  char* at() const { return at_; }
  char* line_start() const { return line_start_; }
  std::size_t line() const { return line_; }

 private:
  char* at_;
  char* head_;
  char* write_ = nullptr;
  char* line_start_;
  std::size_t line_;
};

/// The handler of RapidJSON's events: fills a document, limits the depth and reads the numbers.
class Builder {
 public:
  Builder(rapidjson::Document& document, MemoryCharge& charge) : document_(document), charge_(charge) {}

  bool too_deep() const { return depth_ > kMaxJsonDepth; }
  bool too_large() const { return too_large_; }

  bool Null() { return take() && document_.Null(); }
  bool Bool(bool value) { return take() && document_.Bool(value); }
  bool String(const char* text, rapidjson::SizeType size, bool copy) {
    return take() && document_.String(text, size, copy);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) {
    return take() && document_.Key(text, size, copy);
  }
  bool StartObject() { return take() && ++depth_ <= kMaxJsonDepth && document_.StartObject(); }
  bool StartArray() { return take() && ++depth_ <= kMaxJsonDepth && document_.StartArray(); }
  bool EndObject(rapidjson::SizeType members) { return --depth_, document_.EndObject(members); }
  bool EndArray(rapidjson::SizeType elements) { return --depth_, document_.EndArray(elements); }

  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    take();
    const char* const end = text + size;
    std::int64_t number = 0;
    if (const auto [at, error] = std::from_chars(text, end, number); error == std::errc() && at == end) {
      return document_.Int64(number);
    }
    std::uint64_t large = 0;
    if (const auto [at, error] = std::from_chars(text, end, large); error == std::errc() && at == end) {
      return document_.Uint64(large);
    }
    const auto real = nearest_double({text, size});
    too_large_ = !real;
    return real && document_.Double(*real);
  }

  // RapidJSON gives numbers as text. It needs these functions only to compile.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  /// Charges values, some at a time, before RapidJSON takes them by malloc.
  bool take() {
    constexpr std::size_t kAtOnce = 64;
    if (++values_ % kAtOnce == 0) [[unlikely]]
      charge_.add(kAtOnce * kJsonValueBytes);
    return true;
  }

  rapidjson::Document& document_;
  MemoryCharge& charge_;
  std::size_t values_ = 0;
  int depth_ = 0;
  bool too_large_ = false;  ///< Whether a number was.
};

/// Whether a number that no double holds is below all of them: by the place of its first digit, for it may be
/// spelt with any exponent.
bool is_below_doubles(std::string_view number) {
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  const std::size_t end = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, end);
  std::string_view power = number.substr(std::min(end + 1, number.size()));
  if (power.starts_with('+')) power.remove_prefix(1);
  std::int64_t exponent = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec ==
      std::errc::result_out_of_range)
    exponent = power.starts_with('-') ? -kFar : kFar;
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(std::min(digits.find_first_of("123456789"), digits.size()));
  return std::clamp(exponent, -kFar, kFar) + point - first <= 0;
}

}  // namespace
}  // namespace winnow

/// A number's text is found at the stream's earlier position, so RapidJSON must work on a copy of the stream.
template <>
struct rapidjson::StreamTraits<winnow::LineStream> {
  enum { copyOptimization = 1 };
};

// For streams of its own RapidJSON does both by instructions of some processors, and for others byte by byte.
template <>
template <>
inline void rapidjson::Reader::ScanCopyUnescapedString(winnow::LineStream& text, winnow::LineStream&) {
  text.take_run();
}
template <>
inline void rapidjson::SkipWhitespace(winnow::LineStream& is) {  // RapidJSON calls it so.
  is.skip_space();
}

namespace winnow {

std::optional<double> nearest_double(std::string_view number) {
  double real = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), real).ec == std::errc()) return real;
  if (!is_below_doubles(number)) return std::nullopt;
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  return number.starts_with('-') ? -kSmallest : kSmallest;
}

JsonError JsonText::error_at(const char* place, std::string message) const {
  return {line_, static_cast<std::size_t>(place - line_start_) + 1, std::move(message)};
}

std::optional<JsonError> JsonText::check_encoding() {
  if (std::exchange(encoding_checked_, true)) return std::nullopt;
  const std::size_t offset = find_not_utf8({at_, end_});
  if (offset == std::string_view::npos) return std::nullopt;
  skip_to(static_cast<std::size_t>(at_ - begin_) + offset);
  return error_at(at_, "not UTF-8");
}

void JsonText::skip_to(std::size_t offset) {
  for (; at_ < begin_ + offset; ++at_) {
    if (*at_ != '\n') continue;
    ++line_;
    line_start_ = at_ + 1;
  }
}

bool JsonText::eat(char c) {
  if (at_end() || *at_ != c) return false;
  ++at_;
  return true;
}

bool JsonText::at_end() {
  for (; at_ < end_; ++at_) {
    if (*at_ == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    } else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') {
      return false;
    }
  }
  return true;
}

std::optional<JsonError> JsonText::next(rapidjson::Document& document) {
  if (auto error = check_encoding()) return error;
  charge_.release();
  LineStream stream(at_, line_start_, line_);
  rapidjson::Reader reader;
  bool too_deep = false, too_large = false;
  auto generate = [&](rapidjson::Document& handler) {
    Builder builder(handler, charge_);
    const bool good = !reader.Parse<kParseFlags>(stream, builder).IsError();
    too_deep = builder.too_deep();
    too_large = builder.too_large();
    return good;
  };
  document.Populate(generate);
  line_start_ = stream.line_start();
  line_ = stream.line();
  const char* const place = reader.HasParseError() ? at_ + reader.GetErrorOffset() : stream.at();
  at_ = stream.at();
  if (!reader.HasParseError()) return std::nullopt;
  if (too_deep) return error_at(place, std::format("nested deeper than {} levels", kMaxJsonDepth));
  if (too_large || reader.GetParseErrorCode() == rapidjson::kParseErrorNumberTooBig)
    return error_at(place, "a number is too large: expected one that a double holds");
  return error_at(place,
                  place >= end_
                      ? "not JSON: the text ends early"
                      : std::format("not JSON: {}", rapidjson::GetParseError_En(reader.GetParseErrorCode())));
}

std::optional<JsonError> JsonText::only(rapidjson::Document& document) {
  if (auto error = next(document)) return error;
  if (at_end()) return std::nullopt;
  return error_at(at_, "not JSON: something follows the value");
}

namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kShort = "\"\\\n\r\t\b\f";
  constexpr std::string_view kLetters = "\"\\nrtbf";
  if (const std::size_t at = kShort.find(c); at != std::string_view::npos) {
    out += '\\';
    out += kLetters[at];
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 0xF];
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    // Nearly every string is plain ASCII, so runs of it are copied at once.
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out += text.substr(at, end - at);
    at = end;
    if (at == text.size()) break;
    const std::size_t length = utf8_length(text, at);
    if (length == 1) {
      append_escaped(out, text[at]);
    } else {
      out += length == 0 ? kReplacement : text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  out += '"';
}

void append_quoted_line(std::string& out, std::string_view text) {
  const auto is_shown = [](char c) { return c >= ' ' && c < '\x7f'; };
  // Thousands of nodes may have a text each, and nearly all are plain.
  if (text.size() <= kMostLineBytes && std::ranges::all_of(text, is_shown)) return append_quoted(out, text);
  append_quoted(out, one_line(text, kMostLineBytes));
}

bool unescape(std::string_view raw, std::string& text) {
  // The parser's UTF-8 check may read past a text that ends within a character.
  std::string padded(raw);
  padded.append(8, '\0');
  rapidjson::Document document;
  rapidjson::MemoryStream stream(padded.data(), raw.size());
  document.ParseStream<rapidjson::kParseValidateEncodingFlag, rapidjson::UTF8<>>(stream);
  // The parser takes a zero byte for the end.
  if (document.HasParseError() || !document.IsString() || stream.Tell() != raw.size()) return false;
  text.assign(document.GetString(), document.GetStringLength());
  return true;
}

}  // namespace winnow
