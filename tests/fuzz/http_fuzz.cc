// The bytes of a connection: the same requests come out however they are cut, and answers are well formed.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <format>
#include <memory>
#include <utility>

#include "cluster/text/characters.h"
#include "extender/service/http/connection.h"
#include "extender/service/http/framing.h"
#include "extender/service/http/message.h"
#include "extender/service/http/request_id.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

using namespace http;

/// Delivers pieces, with "nothing yet" before each. At the end the peer is gone.
class FakeTransport final : public Transport {
 public:
  FakeTransport(std::vector<std::string_view> pieces, std::string& output)
      : pieces_(std::move(pieces)), output_(output) {}
  int fd() const override { return -1; }
  Io read(std::span<char> into) override {
    if (next_ == pieces_.size()) return {Io::Kind::kClosed};
    if (std::exchange(waits_, false)) return {Io::Kind::kWantRead};
    std::string_view& piece = pieces_[next_];
    const std::size_t bytes = std::min(into.size(), piece.size());
    std::copy_n(piece.data(), bytes, into.data());
    piece.remove_prefix(bytes);
    if (piece.empty()) {
      ++next_;
      waits_ = true;
    }
    return {Io::Kind::kDone, bytes, bytes < into.size()};
  }
  Io write(std::string_view bytes) override {
    output_.append(bytes);
    return {Io::Kind::kDone, bytes.size()};
  }
  void finish_writing() override {}

 private:
  std::vector<std::string_view> pieces_;
  std::string& output_;
  std::size_t next_ = 0;
  bool waits_ = false;
};

struct Outcome {
  std::string requests;     ///< What the handler got.
  std::size_t handled = 0;  ///< How many there were.
  bool any_head = false;    ///< One was a HEAD: its answer has no body.
  std::string output;       ///< See comparable().
};

/// Answers without what may differ: the time, ids by chance, and whether the client had to be told to go on.
std::string comparable(std::string text) {
  for (const std::string& line : {std::string("\r\nDate: "), std::format("\r\n{}: ", kRequestIdHeader)})
    for (std::size_t at = 0; (at = text.find(line, at)) != std::string::npos;)
      text.erase(at, text.find("\r\n", at + 2) - at);
  for (std::size_t at = 0; (at = text.find(kContinue, at)) != std::string::npos;)
    text.erase(at, kContinue.size());
  return text;
}

Outcome outcome(std::vector<std::string_view> pieces, const Limits& limits, bool head) {
  Tally tally;
  Outcome seen{.any_head = head};
  Scratch scratch;
  const Ending never;
  const Router router(
      [&](Request& request, Response& response) {
        must(request.body.size() <= limits.body_bytes, "a body is no larger than the limit");
        must(request.path.starts_with('/') || request.path == "*", "a path begins with a slash",
             request.path);
        must(std::ranges::none_of(request.path + request.query,
                                  [](char c) { return is_control(c) || c == ' '; }),
             "a path has no blanks", request.path);
        seen.requests += request.method + ' ' + request.path + '?' + request.query + " (" +
                         request.content_type + ',' + request.host + ',' + request.origin + ")[" +
                         request.body + "]\n";
        ++seen.handled;
        response.body = "answer";
      },
      limits, tally);
  {
    Connection connection(std::make_unique<FakeTransport>(std::move(pieces), seen.output), "", limits, tally);
    Next next = Next::kWaitRead;
    while (next != Next::kClose)
      next = next == Next::kReady ? connection.answer(router, never, scratch) : connection.on_ready(scratch);
  }
  must(tally.buffered_bytes == 0, "a connection that is gone holds nothing");
  must(!seen.output.contains("two ways"), "the library reads what the check has read", seen.output);
  seen.output = comparable(seen.output);
  return seen;
}

/// Walks through the answers: each has a head, and as much of a body as it says.
void check_answers(const Outcome& seen) {
  std::string_view rest = seen.output;
  std::size_t answers = 0;
  while (!rest.empty()) {
    must(rest.starts_with("HTTP/1.1 "), "an answer begins where the one before ends", rest);
    const std::size_t end = rest.find("\r\n\r\n");
    must(end != std::string_view::npos, "an answer has a head", rest);
    const std::string_view head = rest.substr(0, end);
    rest.remove_prefix(end + 4);
    ++answers;
    const std::size_t at = head.find("Content-Length: ");
    must(at != std::string_view::npos, "an answer says its length", head);
    std::size_t size = 0;
    std::from_chars(head.data() + at + 16, head.data() + head.size(), size);
    must(size <= rest.size(), "it is as long as it says", head);
    rest.remove_prefix(size);
  }
  must(answers >= seen.handled && answers <= seen.handled + 1,
       "each request has an answer, and one may be refused", seen.output);
}

void connection_with(std::string_view text, const Limits& limits) {
  const bool head = text.contains("HEAD");
  const Outcome whole =
      outcome(text.empty() ? std::vector<std::string_view>() : std::vector{text}, limits, head);
  for (const std::size_t longest : {std::size_t{1}, std::size_t{7}, std::size_t{60}}) {
    const Outcome cut = outcome(pieces_of(text, longest), limits, head);
    must(cut.requests == whole.requests, "cut bytes are the same requests", cut.requests + whole.requests);
    must(cut.output == whole.output, "cut bytes have the same answers", cut.output + whole.output);
  }
  if (!head) check_answers(whole);
}

void connection(std::string_view text) { connection_with(text, Limits{}); }
void connection_with_small_limits(std::string_view text) {
  Limits small;
  small.header_bytes = 300;
  small.header_fields = 8;
  small.body_bytes = 200;
  connection_with(text, small);
}

/// A head, checked by itself.
void head(std::string_view text) {
  static const Limits kLimits;
  HeadScanner whole;
  const auto length = whole.scan(text, kLimits);
  HeadScanner scanner;
  std::expected<std::size_t, Refusal> grown = 0;
  std::size_t fed = 0;
  for (const std::string_view piece : pieces_of(text, 9)) {
    fed += piece.size();
    grown = scanner.scan(text.substr(0, fed), kLimits);
    if (!grown || *grown > 0) break;
  }
  must(grown.has_value() == length.has_value() && (!grown || *grown == *length),
       "a head ends at the same place");
  if (!length || *length == 0) return;
  std::string passed;
  const auto framing = check_head(text.substr(0, *length), kLimits, passed);
  if (!framing) return;
  must(passed.ends_with("\r\n\r\n") && passed.find("\r\n\r\n") == passed.size() - 4,
       "what is passed is one head", passed);
  must(passed.size() <= *length + 64, "it is no longer than the head", passed);
  must(!(framing->chunked && framing->content_length), "a body has one length");
}

/// A chunked body, decoded by hand beside the check.
void chunks(std::string_view text) {
  ChunkFraming whole(1000, 200);
  const auto taken = whole.feed(text);
  ChunkFraming cut(1000, 200);
  std::size_t fed = 0;
  bool good = true;
  for (const std::string_view piece : pieces_of(text, 5)) {
    const auto part = cut.feed(piece);
    good = part.has_value();
    if (!good) break;
    fed += *part;
    if (cut.done()) break;
  }
  must(good == taken.has_value(), "cut chunks are refused or taken alike");
  if (!good) return;
  must(cut.done() == whole.done() && fed == *taken, "they end at the same place");
  if (!whole.done()) return;
  std::string_view rest = text.substr(0, *taken);
  for (std::size_t size = 1; size > 0;) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size, 16);
    must(error == std::errc(), "a chunk begins with its size", rest);
    rest.remove_prefix(rest.find("\r\n") + 2);
    if (size == 0) break;
    must(rest.size() >= size + 2 && rest.substr(size, 2) == "\r\n", "a chunk is as long as it says", rest);
    rest.remove_prefix(size + 2);
  }
  must(rest.ends_with("\r\n"), "a body ends in an empty line", rest);
}

constexpr Part kParts[] = {connection, connection_with_small_limits, head, chunks};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
