// HttpsTransport over loopback: the bytes sent, the kept connections, and servers that behave badly.
#include "cluster/client/transport/https_transport.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>
#include <latch>
#include <new>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "cluster/client/transport/connection.h"
#include "tests/cluster/client/transport/nobody.h"
#include "tests/cluster/client/transport/tls_server.h"
#include "tests/extender/service/http/client.h"
#include "tests/failing_memory.h"

namespace winnow::live::test::https_transport_test {
namespace {

using namespace std::chrono_literals;
using winnow::test::CodeUnderTest;
using winnow::test::fail_memory;
using winnow::test::failed_allocations;
using winnow::test::mend_memory;
using Kind = TransportError::Kind;
using Answer = std::expected<ApiResponse, TransportError>;
using Time = std::chrono::steady_clock::time_point;

const ApiRequest kGet{"GET", "/api/v1/pods?limit=500", ""};
const ApiRequest kPost{"POST", "/api/v1/namespaces/a/pods/b/binding", "{\"kind\":\"Binding\"}"};

struct Fixture {
  const Authority& authority = [] -> const Authority& {
    static const Authority one;
    return one;
  }();
  const Identity identity = authority.issue({.addresses = {"127.0.0.1", "::1"}});
  std::unique_ptr<HttpsTransport> transport = make({});

  std::unique_ptr<HttpsTransport> make(HttpsLimits limits) const {
    return HttpsTransport::make({.certificate_authority = {.data = authority.certificate()}, .token = "t"},
                                system_clock(), limits)
        .value();
  }
  /// A server that answers each request with this text, and then keeps or closes the connection.
  TlsServer::Handler saying(std::string text, bool stay = true) const {
    return [text, stay](Peer& peer, const Request&) {
      peer.write(text);
      return stay;
    };
  }
  Answer get(const TlsServer& server, std::chrono::milliseconds limit = 60s) const {
    return transport->call(server.url(), kGet, limit, {});
  }
  /// All pieces of a stream.
  Answer stream(const TlsServer& server, std::string& pieces, std::chrono::milliseconds idle = 60s,
                std::chrono::milliseconds limit = 60s, std::size_t enough = 1'000'000) const {
    return transport->stream(server.url(), kGet, limit, idle,
                             [&](std::string_view piece) {
                               pieces += piece;
                               return pieces.size() < enough;
                             },
                             {});
  }
};

std::string chunk(std::string_view text) { return std::format("{:x}\r\n{}\r\n", text.size(), text); }
const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// The sockets of this process, as /proc names them. Another process may have used the same port before.
std::set<std::string> own_sockets() {
  std::set<std::string> inodes;
  std::error_code gone;  // A thread may close one meanwhile.
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd"))
    if (const std::string name = std::filesystem::read_symlink(file, gone).string();
        name.starts_with("socket:["))
      inodes.insert(name.substr(8, name.size() - 9));
  return inodes;
}

/// The number of our connections in CLOSE_WAIT: the server has closed them, and we have not. The table may
/// have a line twice, when other processes open sockets while it is read.
std::size_t half_closed(const TlsServer& server) {
  const std::set<std::string> own = own_sockets();
  const std::string url = server.url();
  const std::string port = std::format(":{:04X} 08 ", std::stoi(url.substr(url.rfind(':') + 1)));
  std::ifstream table("/proc/net/tcp");
  std::set<std::string> found;  // By inode.
  for (std::string line; std::getline(table, line);) {
    std::istringstream columns(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(columns), {}};
    if (line.contains(port) && words.size() > 9 && own.contains(words[9])) found.insert(words[9]);
  }
  return found.size();
}

void check_error(const Answer& answer, Kind kind, std::string_view end) {
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == kind);
  CHECK_MESSAGE(answer.error().message.ends_with(end), answer.error().message);
}

}  // namespace

TEST_SUITE("live: HttpsTransport") {
  TEST_CASE_FIXTURE(Fixture, "a request as the server sees it") {
    const TlsServer server({.identity = identity});
    REQUIRE(transport->call(server.url() + "/front/", {"GET", "/api/v1/pods?a=b%20c%3B%2B&x", ""}, 60s, {}));
    REQUIRE(transport->call(server.url(), {"POST", "/p", std::string(5000, 'x')}, 60s, {}));
    REQUIRE(server.requests().size() == 2);
    const std::string host = "Host: " + server.url().substr(8);
    const Request get = server.requests()[0];
    CHECK(get.head.starts_with("GET /front/api/v1/pods?a=b%20c%3B%2B&x HTTP/1.1\r\n"));
    for (const std::string& line :
         {host, std::string("Accept: application/json"), std::string("User-Agent: winnow"),
          std::string("Authorization: Bearer t"), std::string("Accept-Encoding: identity")})
      CHECK_MESSAGE(get.has(line), line);
    CHECK_FALSE(get.head.contains("Content-"));
    const Request post = server.requests()[1];
    CHECK(post.has("Content-Type: application/json"));
    CHECK(post.has("Content-Length: 5000"));
    CHECK_FALSE(post.head.contains("Expect"));
    CHECK(post.body == std::string(5000, 'x'));
  }

  TEST_CASE_FIXTURE(Fixture, "a path that would forge a request is not sent") {
    const TlsServer server({.identity = identity});
    for (const char* path : {"", "api", "/a b", "/a\r\nX: y", "/\x7f", "/a#b"}) {
      CAPTURE(path);
      check_error(transport->call(server.url(), {"GET", path, ""}, 60s, {}), Kind::kUnreachable,
                  "not a path: it must be escaped");
    }
    CHECK(server.connections() == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "over http nothing secret is sent") {
    const TlsServer server({});
    REQUIRE(get(server));
    REQUIRE(get(server));
    CHECK(server.connections() == 1);
    CHECK_FALSE(server.requests()[0].head.contains("Authorization"));
  }

  TEST_CASE_FIXTURE(Fixture, "answers of all kinds") {
    struct Row {
      const char* name;
      std::string text;
      int status;
      const char* body;
      int retry_after;  ///< -1: none.
      int connections;  ///< The number of connections that two requests use.
    };
    const Row rows[] = {
        {"with a length", answer("ok"), 200, "ok", -1, 1},
        {"in chunks", kChunkedHead + chunk("o") + chunk("k") + "0\r\n\r\n", 200, "ok", -1, 1},
        {"nothing", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", -1, 1},
        {"throttled, with Retry-After", answer("slow", "429 Too Many Requests", "Retry-After: 7\r\n"), 429,
         "slow", 7, 1},
        {"Retry-After that is a date",
         answer("", "503 Service Unavailable", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"), 503, "", -1,
         1},
        {"a redirect is not followed",
         answer("", "307 Temporary Redirect", "Location: https://127.0.0.1:1/\r\n"), 307, "", -1, 1},
        {"after 100 Continue", "HTTP/1.1 100 Continue\r\n\r\n" + answer("ok"), 200, "ok", -1, 1},
        {"a server that says it will close", answer("ok", "200 OK", "Connection: close\r\n"), 200, "ok", -1,
         2},
        {"more than was asked for", answer("ok") + "junk", 200, "ok", -1, 2},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      const TlsServer server({.identity = identity}, saying(row.text));
      for (int i = 0; i < 2; ++i) {
        const auto response = get(server);
        REQUIRE_MESSAGE(response, response.error().message);
        CHECK(response->status == row.status);
        CHECK(response->body == row.body);
        CHECK(response->retry_after.value_or(-1s).count() == row.retry_after);
      }
      CHECK(server.connections() == row.connections);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "answers that are none") {
    struct Row {
      const char* name;
      std::string text;
      const char* error;
    };
    const Row rows[] = {
        {"closed at once", "", "the connection ended before the answer"},
        {"closed in the status line", "HTTP/1.1 20", "the connection ended before the answer"},
        {"closed in the head", "HTTP/1.1 200 OK\r\nContent-Le", "the connection ended before the answer"},
        {"closed in the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
         "the connection ended before the answer"},
        {"closed in a chunk", kChunkedHead + "5\r\nhal", "the connection ended before the answer"},
        {"closed between chunks", kChunkedHead + chunk("half"), "the connection ended before the answer"},
        {"closed in the last chunk", kChunkedHead + chunk("half") + "0\r\n",
         "the connection ended before the answer"},
        {"another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "the answer is not HTTP"},
        {"chunks that are none", kChunkedHead + "zz\r\n", "the answer is not HTTP"},
        {"a status line without end", "HTTP/1.1 200 " + std::string(30'000, 'O') + "\r\n\r\n",
         "the answer is not HTTP"},
        {"a status line without end after 100 Continue",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 " + std::string(30'000, 'O') + "\r\n\r\n",
         "the answer is not HTTP"},
        {"a header without end", "HTTP/1.1 200 OK\r\nX: " + std::string(30'000, 'x') + "\r\n\r\n",
         "the answer is not HTTP"},
        {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
         "the answer is not HTTP"},
        {"a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab", "the answer is not HTTP"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      const TlsServer server({.identity = identity}, saying(row.text, false));
      check_error(get(server), Kind::kBroken, row.error);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "an answer larger than allowed is not taken") {
    transport = make({.body_bytes = 10});
    const TlsServer exact({.identity = identity}, saying(answer("0123456789")));
    CHECK(get(exact)->body == "0123456789");
    const TlsServer lengthy({.identity = identity}, saying(answer("0123456789x")));
    check_error(get(lengthy), Kind::kOversized, "the answer is larger than 10 bytes");
    const TlsServer endless({.identity = identity}, saying(kChunkedHead + chunk("012345") + chunk("678901")));
    check_error(get(endless), Kind::kOversized, "the answer is larger than 10 bytes");
  }

  TEST_CASE_FIXTURE(Fixture, "an answer that does not end is cut, whatever was asked") {
    transport = make({.object_bytes = 100'000, .body_bytes = 1'000'000});
    struct Row {
      const char* method;
      AnswerOf answer;
      const char* error;
    };
    const Row rows[] = {
        {"PATCH", AnswerOf::kObject, "the answer is larger than 100000 bytes"},
        {"POST", AnswerOf::kObject, "the answer is larger than 100000 bytes"},
        {"GET", AnswerOf::kObject, "the answer is larger than 100000 bytes"},
        {"GET", AnswerOf::kList, "the answer is larger than 1000000 bytes"},
    };
    const TlsServer server({.identity = identity}, [](Peer& peer, const Request&) {
      peer.write(kChunkedHead);
      for (int i = 0; i < 200; ++i) peer.write(chunk(std::string(16'384, ' ')));
      return false;
    });
    for (const Row& row : rows) {
      CAPTURE(std::string(row.method));
      const std::string body = row.method == std::string("GET") ? "" : "{}";
      check_error(
          transport->call(server.url(),
                          {.method = row.method, .path = "/x", .body = body, .answer = row.answer}, 60s, {}),
          Kind::kOversized, row.error);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "nobody there") {
    const Nobody nobody;
    const std::string url = nobody.url("https");
    const auto refused = transport->call(url, kGet, 60s, {});
    check_error(refused, Kind::kUnreachable, "Connection refused");
    CHECK(refused.error().message == url + ": Connection refused");
    check_error(transport->call("https://" + std::string(64, 'x'), kGet, 60s, {}), Kind::kUnreachable, "");
    check_error(transport->call("nonsense", kGet, 60s, {}), Kind::kUnreachable,
                "it must begin with https:// or http://");
    const TlsServer plain({}, saying(answer("no TLS here")));
    check_error(transport->call("https" + plain.url().substr(4), kGet, 100ms, {}), Kind::kUnreachable, "");
  }

  TEST_CASE_FIXTURE(Fixture, "500 calls from 64 threads make no more connections than are kept") {
    const TlsServer server({.identity = identity}, [](Peer& peer, const Request& request) {
      std::this_thread::sleep_for(1ms);
      peer.write(answer(request.body));
      return true;
    });
    std::atomic<int> good = 0;
    std::atomic<int> next = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 64; ++i)
        threads.emplace_back([&] {
          for (int n = next++; n < 500; n = next++) {
            const std::string body = std::to_string(n);
            const auto response = transport->call(server.url(), {"POST", "/bind", body}, 20s, {});
            if (response && response->body == body) ++good;
          }
        });
    }
    CHECK(good == 500);
    CHECK(server.connections() <= 32);
    CHECK(server.connections() == static_cast<int>(transport->counts().connections));
  }

  TEST_CASE_FIXTURE(
      Fixture, "when all connections are in use a caller waits, within its limit and until it is stopped") {
    transport = make({.connections = 1});
    std::latch asked(1);
    std::latch go_on(1);
    const TlsServer server({.identity = identity}, [&](Peer& peer, const Request& request) {
      if (request.head.starts_with("GET /slow")) {
        asked.count_down();
        go_on.wait();
      }
      peer.write(answer("{}"));
      return true;
    });
    std::jthread slow([&] { CHECK(transport->call(server.url(), {"GET", "/slow", ""}, 20s, {})); });
    asked.wait();
    check_error(get(server, 50ms), Kind::kUnreachable, "all connections are in use");
    std::stop_source source;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(20ms);
      source.request_stop();
    });
    check_error(transport->call(server.url(), kGet, 20s, source.get_token()), Kind::kStopped, "stopped");
    std::jthread patient([&] { CHECK(get(server, 20s)); });
    std::this_thread::sleep_for(20ms);
    go_on.count_down();
    patient.join();
    CHECK(server.connections() == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "a kept connection that the server has closed is noticed before it is used") {
    for (const bool tls : {true, false}) {
      CAPTURE(tls);
      TlsServer server({.identity = tls ? std::optional(identity) : std::nullopt});
      REQUIRE(get(server));
      server.close_connections();
      while (server.open() != 0) std::this_thread::sleep_for(1ms);
      const auto before = transport->counts();
      const auto posted = transport->call(server.url(), kPost, 60s, {});
      REQUIRE_MESSAGE(posted, posted.error().message);
      CHECK(transport->counts().connections == before.connections + 1);
      CHECK(transport->counts().resent == before.resent);
      CHECK(server.requests().size() == 2);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "connections to a server that is gone are let go when another is asked") {
    for (const auto& [prune, left] : {std::pair(0ms, 0UZ), std::pair(60'000ms, 1UZ)}) {
      CAPTURE(prune.count());
      transport = make({.prune = prune});
      TlsServer gone({.identity = identity});
      const TlsServer other({.identity = identity});
      REQUIRE(get(other));
      REQUIRE(get(gone));
      gone.close_connections();
      for (int i = 0; i < 5000 && half_closed(gone) == 0; ++i) std::this_thread::sleep_for(1ms);
      REQUIRE(half_closed(gone) == 1);
      REQUIRE(get(other));
      CHECK(half_closed(gone) == left);
      CHECK(other.connections() == 1);
    }
  }

  TEST_CASE_FIXTURE(Fixture,
                    "a kept connection that ends when it is used: a GET is sent again, once; a POST is not") {
    for (const bool reset : {false, true}) {
      CAPTURE(reset);
      // Answers the first request of a connection only.
      std::atomic<int> seen = 0;
      const TlsServer server({.identity = identity}, [&](Peer& peer, const Request&) {
        if (++seen % 2 == 0) {
          if (reset) peer.reset();
          return false;
        }
        peer.write(answer("{}"));
        return true;
      });
      const auto before = transport->counts().resent;
      CHECK(get(server));
      CHECK(get(server));
      CHECK(seen == 3);
      CHECK(transport->counts().resent == before + 1);
      check_error(transport->call(server.url(), kPost, 60s, {}), Kind::kBroken,
                  "the connection ended before the answer");
      CHECK(seen == 4);
    }
  }

  TEST_CASE_FIXTURE(
      Fixture, "what fails on a new connection, or twice, or after the answer began, is not sent again") {
    SUBCASE("a new connection") {
      const TlsServer server({.identity = identity}, saying("", false));
      CHECK_FALSE(get(server));
      CHECK(server.requests().size() == 1);
    }
    SUBCASE("twice") {
      std::atomic<int> seen = 0;
      const TlsServer server({.identity = identity}, [&](Peer& peer, const Request&) {
        if (++seen > 1) return false;
        peer.write(answer("{}"));
        return true;
      });
      CHECK(get(server));
      CHECK_FALSE(get(server));
      CHECK(seen == 3);
    }
    SUBCASE("the answer has begun") {
      std::atomic<int> seen = 0;
      const TlsServer server({.identity = identity}, [&](Peer& peer, const Request&) {
        peer.write(++seen == 1 ? answer("{}") : "HTTP/1.1 200 OK\r\n");
        return seen == 1;
      });
      CHECK(get(server));
      CHECK_FALSE(get(server));
      CHECK(seen == 2);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "the limit is for everything: silent servers, dripping ones, no handshake") {
    // Over http the connection is made at once, so that only the answer takes long.
    SUBCASE("no answer") {
      const TlsServer server({}, [](Peer& peer, const Request&) {
        peer.wait_for_close(10s);
        return false;
      });
      check_error(get(server, 100ms), Kind::kTimeout, "no answer in time");
    }
    SUBCASE("a byte now and then") {
      const TlsServer server({}, [](Peer& peer, const Request&) {
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        for (int i = 0; i < 1000 && !peer.wait_for_close(2ms); ++i) peer.write("x");
        return false;
      });
      check_error(get(server, 100ms), Kind::kTimeout, "no answer in time");
    }
    SUBCASE("bytes without end") {
      const TlsServer server({.identity = identity}, [](Peer& peer, const Request&) {
        peer.write("HTTP/1.1 200 OK\r\nX: ");
        for (int i = 0; i < 100'000 && !peer.wait_for_close(0ms); ++i)
          peer.write(std::string(100, 'x') + "\r\nX: ");
        return false;
      });
      CHECK_FALSE(get(server, 100ms));
    }
    SUBCASE("no handshake") {
      // Reads what comes as a request, which never ends.
      const TlsServer server({});
      check_error(transport->call("https" + server.url().substr(4), kGet, 100ms, {}), Kind::kUnreachable,
                  "no TLS handshake in time");
    }
  }

  TEST_CASE_FIXTURE(Fixture, "a call whose answer takes long says so once, and goes on") {
    transport = make({.slow = 1ms});
    std::latch told(1);
    std::vector<std::size_t> bytes;
    ApiRequest request = kGet;
    request.on_slow = [&](std::size_t so_far) {
      bytes.push_back(so_far);
      told.count_down();
    };
    const auto answer_in_parts = [&](bool with_body) {
      return [&told, with_body](Peer& peer, const Request&) {
        const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n";
        if (with_body) peer.write(head + "abc");
        told.wait();
        peer.write(with_body ? "def" : head + "abcdef");
        return true;
      };
    };
    SUBCASE("after some of the body") {
      const TlsServer server({.identity = identity}, answer_in_parts(true));
      const Answer answer = transport->call(server.url(), request, 60s, {});
      REQUIRE(answer);
      CHECK(answer->body == "abcdef");
      REQUIRE(bytes.size() == 1);
      CHECK((bytes[0] == 0 || bytes[0] == 3));  // The millisecond may be over before the first bytes come.
    }
    SUBCASE("before anything") {
      const TlsServer server({}, answer_in_parts(false));
      const Answer answer = transport->call(server.url(), request, 60s, {});
      REQUIRE(answer);
      CHECK(answer->body == "abcdef");
      CHECK(bytes == std::vector<std::size_t>{0});
    }
  }

  TEST_CASE_FIXTURE(Fixture, "a call that fails for want of memory keeps no place and no connection") {
    const TlsServer server({});
    transport = make({.connections = 1});
    std::uint64_t failed = 0, passes = 0;
    do {
      const std::uint64_t before = failed_allocations();
      fail_memory(passes++);
      try {
        const CodeUnderTest code;
        static_cast<void>(transport->call(server.url(), kGet, 60s, {}));
      } catch (const std::bad_alloc&) {
      }
      mend_memory();
      failed = failed_allocations() - before;
      // Without a place this would wait for one until its limit.
      REQUIRE(transport->call(server.url(), kGet, 60s, {}));
    } while (failed > 0);
    CHECK(passes > 20);
    transport.reset();
    // What was leaked would stay open.
    CHECK(http::test::eventually([&] { return server.open() == 0; }));
  }

  TEST_CASE_FIXTURE(Fixture, "a stop request cuts a blocked call, handshake or stream at once") {
    std::stop_source source;
    std::latch asked(1);
    const TlsServer server({.identity = identity}, [&](Peer& peer, const Request& request) {
      if (request.head.contains("watch")) peer.write(kChunkedHead + chunk("a"));
      asked.count_down();
      peer.wait_for_close(10s);
      return false;
    });
    const TlsServer silent({});
    std::jthread stopper;
    const auto stop_after = [&](std::latch& latch) {
      stopper = std::jthread([&] {
        latch.wait();
        std::this_thread::sleep_for(10ms);
        source.request_stop();
      });
    };
    SUBCASE("a call") {
      stop_after(asked);
      check_error(transport->call(server.url(), kGet, 20s, source.get_token()), Kind::kStopped, "stopped");
    }
    SUBCASE("a handshake") {
      std::latch at_once(0);
      stop_after(at_once);
      check_error(transport->call("https" + silent.url().substr(4), kGet, 20s, source.get_token()),
                  Kind::kStopped, "stopped");
    }
    SUBCASE("a stream") {
      std::latch heard(1);
      stop_after(heard);
      std::string pieces;
      const auto on_piece = [&](std::string_view piece) {
        pieces += piece;
        if (!piece.empty()) heard.count_down();
        return true;
      };
      const auto ended = transport->stream(server.url(), {"GET", "/api/v1/pods?watch=1", ""}, 20s, 20s,
                                           on_piece, source.get_token());
      check_error(ended, Kind::kStopped, "stopped");
      CHECK(pieces == "a");
    }
    SUBCASE("one that comes before") {
      source.request_stop();
      check_error(transport->call(server.url(), kGet, 20s, source.get_token()), Kind::kStopped, "stopped");
      CHECK(server.requests().empty());
    }
  }

  TEST_CASE_FIXTURE(Fixture, "a stream hands out its pieces; its connection is its own") {
    const TlsServer server({.identity = identity}, [](Peer& peer, const Request&) {
      peer.write(kChunkedHead);
      for (const char* piece : {"one\n", "two\n", "three\n"}) peer.write(chunk(piece));
      peer.write("0\r\n\r\n");
      return true;
    });
    for (int i = 1; i <= 2; ++i) {
      std::string pieces;
      const auto ended = stream(server, pieces);
      REQUIRE_MESSAGE(ended, ended.error().message);
      CHECK(ended->status == 200);
      CHECK(ended->body.empty());
      CHECK(pieces == "one\ntwo\nthree\n");
      CHECK(server.connections() == i);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "a stream ended by its reader has ended well, whatever the server does") {
    std::latch over(1);
    const TlsServer server({.identity = identity}, [&](Peer& peer, const Request&) {
      peer.write(kChunkedHead + chunk("one\n"));
      over.wait();
      return false;
    });
    std::string pieces;
    const auto ended = stream(server, pieces, 60s, 60s, 1);
    over.count_down();
    REQUIRE(ended);  // Not its limit: that would be an error.
    CHECK(ended->status == 200);
    CHECK(pieces == "one\n");
  }

  TEST_CASE_FIXTURE(Fixture, "a stream that is answered otherwise comes whole") {
    const TlsServer server({.identity = identity},
                           saying(answer("{\"code\":410}", "410 Gone", "Retry-After: 1\r\n")));
    std::string pieces;
    const auto ended = stream(server, pieces);
    REQUIRE(ended);
    CHECK(ended->status == 410);
    CHECK(ended->body == "{\"code\":410}");
    CHECK(ended->retry_after == 1s);
    CHECK(pieces.empty());
  }

  TEST_CASE_FIXTURE(Fixture, "a stream that is cut, silent, or slow to begin") {
    std::string pieces;
    SUBCASE("cut") {
      const TlsServer server({.identity = identity}, saying(kChunkedHead + chunk("one"), false));
      check_error(stream(server, pieces), Kind::kBroken, "the connection ended before the answer");
      CHECK(pieces == "one");
    }
    SUBCASE("silent after a while, longer than the limit for its head") {
      // A machine that gives a thread no time for as long as a limit is asked again, with longer ones.
      const auto outlives = [&](std::chrono::milliseconds head, std::chrono::milliseconds idle) {
        const TlsServer server({}, [head](Peer& peer, const Request&) {
          peer.write(kChunkedHead);
          const Time end = std::chrono::steady_clock::now() + head + 50ms;
          while (std::chrono::steady_clock::now() < end && !peer.wait_for_close(10ms)) peer.write(chunk("x"));
          peer.write(chunk("x"));  // This comes after the limit in any case.
          peer.wait_for_close(60s);
          return false;
        });
        pieces.clear();
        const Time begun = std::chrono::steady_clock::now();
        check_error(stream(server, pieces, head, idle), Kind::kTimeout, "no answer in time");
        return std::chrono::steady_clock::now() - begun > head + idle && pieces.starts_with("xx");
      };
      CHECK((outlives(1s, 1s) || outlives(5s, 5s) || outlives(20s, 20s)));
    }
    SUBCASE("slow to begin") {
      const TlsServer server({}, [](Peer& peer, const Request&) {
        peer.wait_for_close(10s);
        return false;
      });
      check_error(stream(server, pieces, 20s, 100ms), Kind::kTimeout, "no answer in time");
    }
  }

  TEST_CASE_FIXTURE(Fixture, "the kernel looks after connections whose other end has vanished") {
    const TlsServer server({});
    Resolver resolver;
    Deadline deadline(std::chrono::steady_clock::now() + 60s, {});
    const auto url = parse_server_url(server.url("localhost")).value();
    const auto connection = Connection::open(url, nullptr, "", resolver, deadline);
    REQUIRE_MESSAGE(connection, connection.error().message);
    const auto option = [&](int level, int name) {
      int value = -1;
      socklen_t size = sizeof value;
      ::getsockopt((*connection)->fd(), level, name, &value, &size);
      return value;
    };
    CHECK(option(SOL_SOCKET, SO_KEEPALIVE) == 1);
    CHECK(option(IPPROTO_TCP, TCP_KEEPIDLE) == 15);
    CHECK(option(IPPROTO_TCP, TCP_KEEPINTVL) == 5);
    CHECK(option(IPPROTO_TCP, TCP_KEEPCNT) == 6);
    CHECK(option(IPPROTO_TCP, TCP_USER_TIMEOUT) == 40'000);
    CHECK(option(IPPROTO_TCP, TCP_NODELAY) == 1);
  }
}

}  // namespace winnow::live::test::https_transport_test
