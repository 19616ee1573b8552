// One connection without sockets or threads. Its requests must not depend on how their bytes are cut.
#include "extender/service/http/connection.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace winnow::http::test {
namespace {

/// Delivers a text in pieces of the given sizes, with "nothing yet" after each. At the end the peer is gone.
class FakeTransport final : public Transport {
 public:
  FakeTransport(std::string_view input, std::vector<std::size_t> pieces, std::string& output)
      : input_(input), pieces_(std::move(pieces)), output_(output) {}
  int fd() const override { return -1; }
  Io read(std::span<char> into) override {
    if (input_.empty()) return {Io::Kind::kClosed};
    if (piece_left_ == 0 && !std::exchange(waited_, true)) return {Io::Kind::kWantRead};
    if (piece_left_ == 0) {
      waited_ = false;
      piece_left_ = next_ < pieces_.size() ? pieces_[next_++] : input_.size();
    }
    const std::size_t bytes = std::min({into.size(), piece_left_, input_.size()});
    std::copy_n(input_.data(), bytes, into.data());
    input_.remove_prefix(bytes);
    piece_left_ -= bytes;
    return {Io::Kind::kDone, bytes, bytes < into.size()};
  }
  Io write(std::string_view bytes) override {
    output_.append(bytes);
    return {Io::Kind::kDone, bytes.size()};
  }
  void finish_writing() override {}

 private:
  std::string_view input_;
  std::vector<std::size_t> pieces_;
  std::string& output_;
  std::size_t next_ = 0;
  std::size_t piece_left_ = 0;
  bool waited_ = false;
};

/// The requests that came out, and the status and text of the refusal that ended it, if one did.
std::string outcome(std::string_view input, std::vector<std::size_t> pieces) {
  static const Limits limits = [] {
    Limits small;
    small.header_bytes = 300;
    small.header_fields = 8;
    small.body_bytes = 200;
    return small;
  }();
  Tally tally;
  std::string output;
  std::string seen;
  Scratch scratch;
  const Ending never;
  const Router router(
      [&](Request& request, Response&) {
        seen += request.method + " " + request.path + "?" + request.query + " [" + request.body + "]\n";
      },
      limits, tally);
  {
    Connection connection(std::make_unique<FakeTransport>(input, std::move(pieces), output), "", limits,
                          tally);
    Next next = Next::kWaitRead;
    while (next != Next::kClose) {
      next = next == Next::kReady ? connection.answer(router, never, scratch) : connection.on_ready(scratch);
    }
  }
  CHECK(tally.buffered_bytes == 0);
  // The library has read each request to the end that the check has found.
  CHECK_FALSE(output.contains("two ways"));
  const auto last = output.rfind("HTTP/1.1 ");
  if (last != std::string::npos && output.substr(last).contains("text/plain")) {
    seen += output.substr(last, 12) + output.substr(output.find("\r\n\r\n", last));
  }
  return seen;
}

std::vector<std::string> seeds() {
  return {
      "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\nPOST /f HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
      "POST /f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: 1\r\n\r\n"
      "HEAD /g HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      "POST /f HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
      "POST /f HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Type: a/b\r\n\r\n{}"
      "POST /f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n",
  };
}

std::string mutate(std::string text, std::mt19937& random) {
  const std::string_view kBytes("\r\n :;,/?0f9-+ax\0\x7f\xff", 18);
  for (unsigned i = random() % 4; i > 0 && !text.empty(); --i) {
    const std::size_t at = random() % text.size();
    const char byte = kBytes[random() % kBytes.size()];
    switch (random() % 4) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.erase(at, 1 + random() % 3);
        break;
      default:
        text.insert(at, text.substr(at, random() % 40));
        break;
    }
  }
  return text;
}

TEST_CASE("http: a connection reads the same from its bytes however they are cut") {
  for (const auto& seed : seeds()) {
    const std::string whole = outcome(seed, {});
    CHECK(whole.contains("/f?"));
    for (std::size_t cut = 1; cut < seed.size(); ++cut) CHECK(outcome(seed, {cut}) == whole);
    CHECK(outcome(seed, std::vector<std::size_t>(seed.size(), 1)) == whole);
  }
  CHECK(outcome(seeds().back(), {}).ends_with("HTTP/1.1 413\r\n\r\nthe body is too large\n"));
}

TEST_CASE("http: the same of twenty thousand damaged requests") {
  std::mt19937 random(20260);
  for (int i = 0; i < 20'000; ++i) {
    const auto all = seeds();
    const std::string text = mutate(all[random() % all.size()], random);
    std::vector<std::size_t> pieces;
    for (int p = 0; p < 12; ++p) pieces.push_back(1 + random() % 20);
    CAPTURE(text);
    REQUIRE(outcome(text, pieces) == outcome(text, {}));
  }
}

}  // namespace
}  // namespace winnow::http::test
