#include "extender/service/http/framing.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "cluster/text/characters.h"
#include "extender/service/http/message.h"
#include "extender/service/http/request_id.h"

namespace winnow::http {
namespace {

std::unexpected<Refusal> malformed(std::string_view text) {
  return std::unexpected(Refusal{400, Cause::kMalformed, text});
}

std::unexpected<Refusal> unsupported(int status, std::string_view text) {
  return std::unexpected(Refusal{status, Cause::kUnsupported, text});
}

constexpr std::string_view kBlanks = " \t";

constexpr bool is_token_char(char c) {
  return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

constexpr auto kTokenChars = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = i != 0 && is_token_char(static_cast<char>(i));
  return table;
}();

bool is_token(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return kTokenChars[static_cast<unsigned char>(c)]; });
}

// The library answers 414 or 400 beyond these, and does not read the body.
constexpr std::size_t kMaxTarget = 8192;
constexpr std::size_t kMaxLine = 8190;

// The library takes these methods. Each other one is refused here, in words that say why.
constexpr std::array<std::string_view, 9> kMethods = {"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                      "CONNECT", "OPTIONS", "TRACE", "PATCH"};

// The fields that the library gets. See check_head().
constexpr std::string_view kAuthorization = "authorization";
constexpr std::array<std::string_view, 7> kPassed = {
    "content-length", "transfer-encoding", "content-type", "host",
    "origin",         "sec-fetch-site",    kAuthorization};

// A header field. Both parts point into the line that was parsed.
struct Field {
  std::string_view name;
  std::string_view value;  // without the blanks around it
};

std::expected<void, Refusal> check_target(std::string_view target) {
  if (!std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7f; }))
    return malformed("malformed request target");
  // The library would cut the target there, and other parsers do not.
  if (target.contains('#')) return malformed("a fragment in the request target");
  if (target.size() > kMaxTarget)
    return std::unexpected(Refusal{414, Cause::kHeaderTooLarge, "the request target is too long"});
  target = without_authority(target);
  if (!target.starts_with('/') && target != "*") return malformed("malformed request target");
  return {};
}

std::expected<void, Refusal> read_request_line(std::string_view line, Framing& framing) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return malformed("malformed request line");
  const auto method = line.substr(0, first);
  const auto version = line.substr(last + 1);
  if (!is_token(method)) return malformed("malformed method");
  if (!version.starts_with("HTTP/")) return malformed("malformed request line");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return unsupported(505, "HTTP/1.1 and HTTP/1.0 are spoken here");
  if (!std::ranges::contains(kMethods, method)) return unsupported(501, "no such method is known");
  framing.http10 = version == "HTTP/1.0";
  framing.keep_alive = !framing.http10;
  return check_target(line.substr(first + 1, last - first - 1));
}

std::expected<void, Refusal> read_content_length(std::string_view value, Framing& framing) {
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error != std::errc() || end != value.data() + value.size())
    return malformed("malformed Content-Length");
  // Two equal lengths are refused too: HTTP parsers disagree about whether "2" equals "02".
  if (framing.content_length) return malformed("more than one Content-Length");
  framing.content_length = length;
  return {};
}

std::expected<void, Refusal> read_transfer_encoding(std::string_view value, Framing& framing) {
  if (framing.chunked) return malformed("more than one Transfer-Encoding");
  if (!equal_but_for_case(value, "chunked"))
    return unsupported(501, "no Transfer-Encoding other than chunked is supported");
  framing.chunked = true;
  return {};
}

void read_connection(std::string_view value, Framing& framing) {
  while (true) {
    const auto comma = value.find(',');
    const auto option = trim(value.substr(0, comma), kBlanks);
    if (equal_but_for_case(option, "close")) framing.keep_alive = false;
    if (equal_but_for_case(option, "keep-alive") && framing.http10) framing.keep_alive = true;
    if (comma == std::string_view::npos) return;
    value.remove_prefix(comma + 1);
  }
}

std::expected<void, Refusal> read_field(const Field& field, Framing& framing, int& hosts) {
  const auto& [name, value] = field;
  if (equal_but_for_case(name, "content-length")) return read_content_length(value, framing);
  if (equal_but_for_case(name, "transfer-encoding")) return read_transfer_encoding(value, framing);
  if (equal_but_for_case(name, "connection")) {
    read_connection(value, framing);
  } else if (equal_but_for_case(name, "host")) {
    if (++hosts > 1) return malformed("more than one Host");
    // The library would decode it, and a handler would see another host than a proxy.
    if (value.contains('%')) return malformed("a percent sign in Host");
  } else if (equal_but_for_case(name, "content-encoding")) {
    // Nothing is decompressed, so a small body cannot grow large. kube-scheduler does not compress.
    if (!value.empty() && !equal_but_for_case(value, "identity"))
      return unsupported(415, "a body with a Content-Encoding is not taken");
  } else if (equal_but_for_case(name, "expect")) {
    if (!equal_but_for_case(value, "100-continue"))
      return unsupported(417, "no expectation other than 100-continue is met");
    framing.expect_continue = true;
  } else if (equal_but_for_case(name, kRequestIdHeader)) {
    // The library does not get it: it would decode it.
    if (framing.request_id.empty() && is_request_id(value)) framing.request_id = value;
  }
  return {};
}

std::expected<Field, Refusal> parse_field(std::string_view line) {
  if (line.size() > kMaxLine)
    return std::unexpected(Refusal{431, Cause::kHeaderTooLarge, "a header line is too long"});
  if (line.front() == ' ' || line.front() == '\t') return malformed("a folded header line");
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return malformed("a header line without a colon");
  const Field field{line.substr(0, colon), trim(line.substr(colon + 1), kBlanks)};
  if (!is_token(field.name)) return malformed("malformed header name");
  if (!is_field_value(field.value)) return malformed("a control character in a header");
  return field;
}

bool is_passed(const Field& field) {
  // The library would decode it, and a handler would see another token than was sent.
  if (equal_but_for_case(field.name, kAuthorization) && field.value.contains('%')) return false;
  return std::ranges::any_of(kPassed,
                             [&](std::string_view passed) { return equal_but_for_case(field.name, passed); });
}

std::expected<Framing, Refusal> check_together(Framing framing, int hosts) {
  if (framing.chunked && framing.content_length)
    return malformed("both Content-Length and Transfer-Encoding");
  if (framing.chunked && framing.http10) return malformed("Transfer-Encoding in HTTP/1.0");
  if (hosts == 0 && !framing.http10) return malformed("no Host");
  if (framing.http10) framing.expect_continue = false;
  return framing;
}

}  // namespace

std::string_view without_authority(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (target.size() < kScheme.size() || !equal_but_for_case(target.substr(0, kScheme.size()), kScheme))
    return target;
  const auto slash = target.find('/', kScheme.size());
  return slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
}

Request request_of(std::string_view passed) {
  Request request;
  const std::string_view line = passed.substr(0, passed.find("\r\n"));
  const std::string_view method = line.substr(0, line.find(' '));
  const std::string_view target =
      without_authority(line.substr(method.size() + 1, line.rfind(' ') - method.size() - 1));
  const auto question = target.find('?');
  request.method = method == "HEAD" ? "GET" : method;
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  std::size_t tokens = 0;
  for (std::string_view rest = passed.substr(std::min(line.size() + 2, passed.size())); !rest.empty();) {
    const std::string_view field = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(field.size() + 2, rest.size()));
    const auto colon = field.find(':');
    if (colon == std::string_view::npos || !equal_but_for_case(field.substr(0, colon), kAuthorization))
      continue;
    request.authorization = ++tokens == 1 ? trim(field.substr(colon + 1), " \t") : std::string_view();
  }
  return request;
}

bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return is_control(c) && c != '\t'; });
}

std::expected<void, Refusal> check_field(std::string_view line) {
  const auto field = parse_field(line);
  if (!field) return std::unexpected(field.error());
  return {};
}

std::expected<std::size_t, Refusal> HeadScanner::scan(std::string_view input, const Limits& limits) {
  constexpr std::string_view kTooLarge = "the header is too large";
  if (!input.empty() && !kTokenChars[static_cast<unsigned char>(input.front())])
    return malformed("not an HTTP request");
  while (true) {
    const auto eol = input.find('\n', from_);
    if (eol == std::string_view::npos) break;
    if (eol >= limits.header_bytes) return std::unexpected(Refusal{431, Cause::kHeaderTooLarge, kTooLarge});
    if (eol == 0 || input[eol - 1] != '\r') return malformed("a line that does not end in CR LF");
    if (eol - 1 == line_) return eol + 1;
    if (line_ == 0) {
      // The request line is checked before the head is complete. An HTTP/0.9 client never completes one.
      Framing framing;
      if (auto read = read_request_line(input.substr(0, eol - 1), framing); !read)
        return std::unexpected(read.error());
    }
    line_ = from_ = eol + 1;
  }
  if (input.size() >= limits.header_bytes)
    return std::unexpected(Refusal{431, Cause::kHeaderTooLarge, kTooLarge});
  from_ = input.size();
  return 0;
}

std::expected<Framing, Refusal> check_head(std::string_view text, const Limits& limits, std::string& passed) {
  Framing framing;
  int hosts = 0;
  std::size_t fields = 0;
  auto eol = text.find("\r\n");
  if (auto read = read_request_line(text.substr(0, eol), framing); !read)
    return std::unexpected(read.error());
  passed = text.substr(0, eol + 2);
  text.remove_prefix(eol + 2);
  while ((eol = text.find("\r\n")) != 0) {
    if (eol == std::string_view::npos) return malformed("an incomplete header");
    if (++fields > limits.header_fields) {
      return std::unexpected(Refusal{431, Cause::kHeaderTooLarge, "too many header fields"});
    }
    const auto field = parse_field(text.substr(0, eol));
    if (!field) return std::unexpected(field.error());
    if (auto read = read_field(*field, framing, hosts); !read) return std::unexpected(read.error());
    if (is_passed(*field)) passed += text.substr(0, eol + 2);
    text.remove_prefix(eol + 2);
  }
  passed += "\r\n";
  return check_together(framing, hosts);
}

namespace {

constexpr std::size_t kMaxSizeLine = 128;  // 16 hexadecimal digits, and room for extensions

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
