// What cpp-httplib alone takes for a request, and the server does not. Each row is a reason for the check in
// extender/service/http/framing.h. If a row fails, the library has become stricter: see whether the check can
// go.
#include <doctest/doctest.h>
#include <httplib.h>

#include <string>
#include <string_view>
#include <vector>

#include "extender/service/http/framing.h"
#include "extender/service/http/message.h"
#include "tests/printing.h"

namespace winnow::http::test {
namespace {

/// A request in memory, and the answer to it.
class Memory final : public httplib::Stream {
 public:
  explicit Memory(std::string_view input) : rest_(input) {}
  ssize_t read(char* into, std::size_t size) override {
    const std::size_t bytes = rest_.copy(into, size);
    rest_.remove_prefix(bytes);
    return static_cast<ssize_t>(bytes);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    answer.append(bytes, size);
    return static_cast<ssize_t>(size);
  }
  bool is_readable() const override { return true; }
  bool wait_readable() const override { return true; }
  bool wait_writable() const override { return true; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }
  time_t duration() const override { return 0; }

  std::string answer;

 private:
  std::string_view rest_;
};

/// The library's server, which answers each POST with the body that it has read.
class Library final : public httplib::Server {
 public:
  Library() {
    Post("/:any", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content("[" + request.get_header_value("Host") + "|" + request.body + "]", "text/plain");
    });
  }
  std::string answer(std::string_view bytes) {
    Memory memory(bytes);
    bool closed = false;
    process_request(memory, "", 0, "", 0, false, closed, nullptr);
    return memory.answer;
  }
};

/// Whether the check refuses the request, by its head or by its chunks.
bool refused(std::string_view bytes) {
  const Limits limits;
  HeadScanner scanner;
  std::string passed;
  const auto end = scanner.scan(bytes, limits);
  if (!end || *end == 0) return !end;
  const auto framing = check_head(bytes.substr(0, *end), limits, passed);
  if (!framing || !framing->chunked) return !framing;
  return !ChunkFraming(limits.body_bytes, limits.header_bytes).feed(bytes.substr(*end));
}

struct Row {
  const char* laxness;
  std::string bytes;
  std::string taken_as;  // what the library's handler has seen
};

const std::string kStart = "POST /f HTTP/1.1\r\n";
const std::string kChunked = kStart + "Host: a\r\nTransfer-Encoding: chunked\r\n\r\n";

std::vector<Row> lax_rows() {
  return {
      {"no Host", kStart + "Content-Length: 2\r\n\r\nab", "[|ab]"},
      {"two Hosts", kStart + "Host: a\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", "[a|ab]"},
      {"two equal lengths", kStart + "Host: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", "[a|ab]"},
      {"a length in percent-encoding", kStart + "Host: a\r\nContent-Length: %32\r\n\r\nab", "[a|ab]"},
      {"a host in percent-encoding", kStart + "Host: %61\r\nContent-Length: 2\r\n\r\nab", "[a|ab]"},
      {"chunked in percent-encoding",
       kStart + "Host: a\r\nTransfer-Encoding: chunke%64\r\n\r\n2\r\nab\r\n0\r\n\r\n", "[a|ab]"},
      {"a length of 0 beside chunks",
       kStart + "Host: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
       "[a|ab]"},
      {"a chunk size with 0x", kChunked + "0x2\r\nab\r\n0\r\n\r\n", "[a|ab]"},
      {"a chunk size behind a blank", kChunked + " 2\r\nab\r\n0\r\n\r\n", "[a|ab]"},
      {"a chunk size with a sign", kChunked + "+2\r\nab\r\n0\r\n\r\n", "[a|ab]"},
      {"anything behind a chunk size", kChunked + "2 and more\r\nab\r\n0\r\n\r\n", "[a|ab]"},
      {"a fragment in the target", "POST /f#x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", "[a|ab]"},
      {"blanks in the request line", "POST  /f   HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab",
       "[a|ab]"},
  };
}

TEST_CASE("http: the library alone takes what the check refuses") {
  Library library;
  CHECK(library.answer(kStart + "Host: a\r\nContent-Length: 2\r\n\r\nab").ends_with("[a|ab]"));
  for (const Row& row : lax_rows()) {
    CAPTURE(row.laxness);
    CHECK(library.answer(row.bytes).ends_with(row.taken_as));
    CHECK(refused(row.bytes));
  }
}

TEST_CASE("http: what the library would act on does not reach it") {
  const std::string ranged = kStart + "Host: a\r\nRange: lines=1\r\nAccept: ,\r\nContent-Length: 2\r\n\r\nab";
  CHECK(Library().answer(ranged).starts_with("HTTP/1.1 4"));
  std::string passed;
  const auto head = std::string_view(ranged).substr(0, ranged.size() - 2);
  CHECK(check_head(head, Limits{}, passed).has_value());
  CHECK(passed == kStart + "Host: a\r\nContent-Length: 2\r\n\r\n");
}

}  // namespace
}  // namespace winnow::http::test
