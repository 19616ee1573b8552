// Bad clients: the answers that they get, and good clients that must not notice them.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "extender/service/http/server.h"
#include "tests/extender/service/http/client.h"

namespace winnow::http::test {
namespace {

struct Bad {
  const char* what;
  std::string bytes;
  int status;
  Cause cause;
};

const std::string kPost = "POST /filter HTTP/1.1\r\nHost: a\r\n";
const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";

std::string many_headers(int count) {
  std::string text = kPost;
  for (int i = 0; i < count; ++i) text += "X-" + std::to_string(i) + ": 1\r\n";
  return text + "\r\n";
}

std::vector<Bad> bad_inputs() {
  using enum Cause;
  return {
      {"no version", "GET /\r\n", 400, kMalformed},
      {"two words", "GET HTTP/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"a target without slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"a control in the target", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"a fragment in the target", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"a host in percent-encoding", "GET / HTTP/1.1\r\nHost: %61\r\n\r\n", 400, kMalformed},
      {"a method that nobody knows", "GIT / HTTP/1.1\r\nHost: a\r\n\r\n", 501, kUnsupported},
      {"a target over 8 KiB", "GET /" + std::string(8'192, 'x') + " HTTP/1.1\r\n", 414, kHeaderTooLarge},
      {"a line over 8 KiB", kPost + "X: " + std::string(8'192, 'x') + "\r\n\r\n", 431, kHeaderTooLarge},
      {"a method of no token", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, kUnsupported},
      {"lower case version", "GET / http/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00", 7), 400, kMalformed},
      {"an empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400, kMalformed},
      {"bare LF", "GET / HTTP/1.1\nHost: a\n\n", 400, kMalformed},
      {"bare LF in the headers", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400, kMalformed},
      {"bare CR in a value", kPost + "X: a\rb\r\n\r\n", 400, kMalformed},
      {"NUL in a value", kPost + std::string("X: a\0b\r\n\r\n", 10), 400, kMalformed},
      {"NUL in a name", kPost + std::string("X\0: b\r\n\r\n", 9), 400, kMalformed},
      {"folded header", kPost + "X: a\r\n b\r\n\r\n", 400, kMalformed},
      {"space before the colon", kPost + "Content-Length : 3\r\n\r\nabc", 400, kMalformed},
      {"no colon", kPost + "nonsense\r\n\r\n", 400, kMalformed},
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400, kMalformed},
      {"two Hosts", kPost + "Host: b\r\n\r\n", 400, kMalformed},
      {"length and chunked", kPost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400,
       kMalformed},
      {"two lengths", kPost + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400, kMalformed},
      {"two equal lengths", kPost + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400, kMalformed},
      {"a request as trailer", kChunked + "0\r\nGET /b HTTP/1.1\r\n\r\n", 400, kMalformed},
      {"a folded trailer", kChunked + "0\r\n T: 1\r\n\r\n", 400, kMalformed},
      {"list of lengths", kPost + "Content-Length: 3, 3\r\n\r\nabc", 400, kMalformed},
      {"negative length", kPost + "Content-Length: -1\r\n\r\n", 400, kMalformed},
      {"signed length", kPost + "Content-Length: +1\r\n\r\na", 400, kMalformed},
      {"length over 2^64", kPost + "Content-Length: 18446744073709551617\r\n\r\n", 400, kMalformed},
      {"empty length", kPost + "Content-Length:\r\n\r\n", 400, kMalformed},
      {"chunked twice", kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
       kMalformed},
      {"gzip, chunked", kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, kUnsupported},
      {"chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, kMalformed},
      {"gzip body", kPost + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", 415, kUnsupported},
      {"other expectation", kPost + "Expect: 200-ok\r\n\r\n", 417, kUnsupported},
      {"chunk -2", kChunked + "-2\r\n", 400, kMalformed},
      {"chunk 0x3", kChunked + "0x3\r\nabc\r\n", 400, kMalformed},
      {"chunk 3 x", kChunked + "3 x\r\nabc\r\n", 400, kMalformed},
      {"chunk of no digit", kChunked + "\r\n", 400, kMalformed},
      {"chunk over 2^64", kChunked + "10000000000000003\r\nabc", 400, kMalformed},
      {"chunk of 2^64-1", kChunked + "ffffffffffffffff\r\nabc", 413, kBodyTooLarge},
      {"chunk longer than told", kChunked + "3\r\nabcd\r\n", 400, kMalformed},
      {"chunk with bare LF", kChunked + "3\nabc\r\n", 400, kMalformed},
      {"endless extension", kChunked + "3;" + std::string(300, 'x'), 400, kMalformed},
      {"endless trailer", kChunked + "0\r\n" + std::string(20'000, 'x'), 431, kHeaderTooLarge},
      {"header over 16 KiB", kPost + "X: " + std::string(17'000, 'x') + "\r\n\r\n", 431, kHeaderTooLarge},
      {"line without end", "GET /" + std::string(40'000, 'x'), 431, kHeaderTooLarge},
      {"65 headers", many_headers(65), 431, kHeaderTooLarge},
      {"body over the limit", kPost + "Content-Length: 1000001\r\n\r\nabc", 413, kBodyTooLarge},
  };
}

TEST_CASE("http: bad input is refused in one line, counted, and the service goes on") {
  Limits limits;
  limits.body_bytes = 1'000'000;
  Running running(describe, limits);
  Client good(running.port);
  for (const Bad& bad : bad_inputs()) {
    CAPTURE(bad.what);
    const auto before = running.refused(bad.cause);
    Client client(running.port);
    client.send(bad.bytes);
    const Answer answer = client.receive();
    CHECK(answer.status == bad.status);
    CHECK(answer.head.contains("Connection: close\r\n"));
    CHECK(answer.head.contains("Content-Type: text/plain"));
    CHECK(answer.body.size() > 5);
    CHECK(answer.body.find('\n') == answer.body.size() - 1);
    CHECK(client.sees_end());
    CHECK(running.refused(bad.cause) == before + 1);
    CHECK(good.ask(post("a")).status == 200);
  }
  CHECK(running.server.counters().requests == bad_inputs().size());
  CHECK(eventually([&] { return running.server.counters().open == 1; }));
}

TEST_CASE("http: a chunked body over the limit is cut while it streams") {
  Limits limits;
  limits.body_bytes = 1'000'000;
  Running running(describe, limits);
  Client client(running.port);
  client.send(kChunked);
  const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
  for (int i = 0; i < 40; ++i) client.send(chunk);
  CHECK(client.receive().status == 413);
  CHECK(running.refused(Cause::kBodyTooLarge) == 1);
}

TEST_CASE("http: a chunked body may not be framing above all") {
  Limits limits;
  limits.body_bytes = 1000;
  limits.header_bytes = 300;
  Running running(describe, limits);
  Client client(running.port);
  client.send(kChunked);
  for (int i = 0; i < 900; ++i) client.send("1;xxxx\r\nx\r\n");
  CHECK(client.receive().status == 413);
  CHECK(running.refused(Cause::kBodyTooLarge) == 1);
}

TEST_CASE("http: slow heads and bodies are cut at their deadline, however the bytes drip") {
  Limits limits;
  limits.header_time = limits.body_time = std::chrono::milliseconds(100);
  Running running(describe, limits);
  for (const auto& [begin, cause] : {std::pair(kPost + "X: ", Cause::kHeaderSlow),
                                     std::pair(kPost + "Content-Length: 1000000\r\n\r\n", Cause::kBodySlow),
                                     std::pair(kChunked + "ffff\r\n", Cause::kBodySlow)}) {
    const auto before = running.refused(cause);
    Client client(running.port);
    client.send(begin);
    for (int i = 0; i < 40 && running.refused(cause) == before; ++i) {
      client.send("x");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    CHECK(client.receive().status == 408);
    CHECK(running.refused(cause) == before + 1);
  }
}

TEST_CASE("http: an idle connection is closed after its time") {
  Limits limits;
  limits.idle_time = std::chrono::milliseconds(1500);
  Running running(describe, limits);
  Client fresh(running.port);
  Client used(running.port);
  CHECK(used.ask(post("a")).status == 200);
  CHECK(fresh.sees_end());
  CHECK(used.sees_end());
  CHECK(running.server.counters().idle_expired == 2);
}

TEST_CASE("http: a slow reader holds no worker and is cut") {
  Limits limits;
  limits.workers = 1;
  limits.write_time = std::chrono::milliseconds(300);
  Running running(
      [](Request& request, Response& response) {
        response.body.assign(request.path == "/big" ? 50'000'000 : 2, 'x');
      },
      limits);
  std::vector<Client> slow;
  for (int i = 0; i < 4; ++i) {
    slow.emplace_back(running.port, 4096);
    slow.back().send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  Client good(running.port);
  CHECK(good.ask(post("a")).body == "xx");
  CHECK(eventually([&] { return running.refused(Cause::kWriteSlow) == 4; }));
  CHECK(eventually([&] { return running.server.counters().buffered_bytes == 0; }));
}

TEST_CASE(
    "http: unsent answers are bounded: clients that do not read are cut, and one that reads is served") {
  Limits limits;
  limits.buffered_bytes = 60'000'000;
  limits.write_time = std::chrono::hours(1);
  std::atomic<std::size_t> most = 0;
  std::optional<Running> running;
  running.emplace(
      [&](Request& request, Response& response) {
        most = std::max<std::size_t>(most, running->server.counters().buffered_bytes);
        response.body.assign(request.path == "/big" ? 20'000'000 : 2'000'000, 'x');
      },
      limits);
  std::vector<Client> deaf;
  for (int i = 0; i < 12; ++i) {
    deaf.emplace_back(running->port, 4096);
    deaf.back().send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  CHECK(eventually([&] { return running->refused(Cause::kMemory) >= 10; }));
  Client good(running->port);
  for (int i = 0; i < 20; ++i) CHECK(good.ask(post("a")).body.size() == 2'000'000);
  CHECK(most <= limits.buffered_bytes);
  deaf.clear();
  CHECK(eventually([&] { return running->server.counters().buffered_bytes == 0; }));
}

TEST_CASE("http: a handler that takes more memory than there is ends its own call alone") {
  Limits limits;
  limits.handler_bytes = 4'000'000;
  Running running(
      [](Request& request, Response& response) {
        std::string taken(request.path == "/big" ? 3'000'000 : 2, 'x');
        response.body = std::move(taken);
      },
      limits);
  Client client(running.port);
  CHECK(client.ask("GET /big HTTP/1.1\r\nHost: a\r\n\r\n").body ==
        "this needs more memory than is left of 2 MiB\n");
  CHECK(client.ask(post("a")).body == "xx");
  CHECK(client.ask(post(std::string(3'000'000, 'b'))).status == 503);
  CHECK(Client(running.port).ask(post("a")).body == "xx");
}

TEST_CASE("http: a response larger than the socket's buffers comes whole to a client that reads it") {
  Limits limits;
  limits.write_time = std::chrono::minutes(5);
  Running running(
      [](Request& request, Response& response) {
        response.body.assign(request.path == "/big" ? 20'000'000 : 2, 'x');
      },
      limits);
  Client client(running.port, 4096);
  CHECK(client.ask("GET /big HTTP/1.1\r\nHost: a\r\n\r\n").body.size() == 20'000'000);
  CHECK(client.ask(post("a")).body == "xx");
}

TEST_CASE("http: idle and dripping clients do not hold up a good one") {
  Limits limits;
  limits.header_time = std::chrono::hours(1);  // A worker that waited for a head would hang the test.
  Running running(describe, limits);
  std::vector<Client> idle;
  std::vector<Client> dripping;
  for (int i = 0; i < 200; ++i) idle.emplace_back(running.port);
  for (int i = 0; i < 50; ++i) dripping.emplace_back(running.port);
  for (auto& client : dripping) client.send(kPost);
  Client good(running.port);
  for (int i = 0; i < 100; ++i) {
    dripping[static_cast<std::size_t>(i) % dripping.size()].send("X");
    REQUIRE(good.ask(post("abc")).status == 200);
  }
}

TEST_CASE("http: a slow handler holds up neither deadlines nor other workers") {
  Limits limits;
  limits.header_time = std::chrono::milliseconds(100);
  std::atomic<bool> go_on{false};
  Running running(
      [&](Request& request, Response&) {
        while (request.path == "/slow" && !go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      limits);
  Client slow(running.port);
  slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  Client good(running.port);
  CHECK(good.ask(post("a")).status == 200);
  Client also_slow(running.port);
  also_slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  Client dripping(running.port);
  dripping.send("GET ");
  CHECK(dripping.receive().status == 408);
  Client waiting(running.port);
  waiting.send(post("a"));
  go_on = true;
  CHECK(waiting.receive().status == 200);
  CHECK(slow.receive().status == 200);
  CHECK(also_slow.receive().status == 200);
}

TEST_CASE("http: with all connections taken the oldest idle one goes; with none idle the new one") {
  Limits limits;
  limits.connections = 4;
  Running running(describe, limits);
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(running.port);
    CHECK(clients.back().ask(post("a")).status == 200);
    // The answer arrives a moment before the connection is parked, and the order of eviction is that of
    // parking.
    REQUIRE(eventually([&] { return running.server.counters().idle == clients.size(); }));
  }
  CHECK(clients[0].ask(post("a")).status == 200);  // now the second is the oldest
  REQUIRE(eventually([&] { return running.server.counters().idle == 4; }));
  Client fifth(running.port);
  CHECK(fifth.ask(post("a")).status == 200);
  CHECK(clients[1].sees_end());
  REQUIRE(eventually([&] { return running.server.counters().idle == 4; }));
  for (auto* client : {&clients[0], &clients[2], &clients[3], &fifth}) client->send("POST ");
  REQUIRE(eventually([&] { return running.server.counters().idle == 0; }));
  Client sixth(running.port);
  sixth.send(post("a"));
  CHECK(sixth.receive().status == 503);
  CHECK(running.refused(Cause::kConnections) == 1);
  CHECK(running.server.counters().evicted == 1);
  CHECK(fifth.ask("/ HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
}

TEST_CASE("http: a flood of connections evicts itself, not those that have brought a request") {
  Limits limits;
  limits.connections = 8;
  Running running(describe, limits);
  Client good(running.port);
  CHECK(good.ask(post("a")).status == 200);
  std::vector<Client> flood;
  for (int i = 0; i < 50; ++i) {
    flood.emplace_back(running.port);
    flood.back().send("POST ");
    REQUIRE(Client(running.port).ask(post("a")).status == 200);
  }
  CHECK(good.ask(post("a")).status == 200);
  CHECK(running.server.counters().accepted == 101);
  CHECK(running.refused(Cause::kConnections) == 0);
}

TEST_CASE("http: of those that have brought no request the oldest goes first, though it drips") {
  Limits limits;
  limits.connections = 6;
  Running running(describe, limits);
  std::vector<Client> half;
  for (int i = 0; i < 6; ++i) {
    half.emplace_back(running.port);
    half.back().send("P");
  }
  REQUIRE(eventually([&] { return running.server.counters().buffered_bytes == 6; }));
  half[0].send("O");
  REQUIRE(eventually([&] { return running.server.counters().buffered_bytes == 7; }));
  // Two, for the oldest may be in a thread's hands for a moment.
  Client first(running.port), second(running.port);
  CHECK(half[0].sees_end());
  CHECK(eventually([&] { return running.server.counters().evicted == 2; }));
  CHECK(first.ask(post("abc")).status == 200);
}

TEST_CASE("http: memory is bounded over all connections: whoever would grow past the bound is refused") {
  Limits limits;
  limits.buffered_bytes = 3'000'000;
  Running running(describe, limits);
  const auto buffered = [&] { return running.server.counters().buffered_bytes; };
  const auto start = [&](std::size_t bytes) {
    Client client(running.port);
    client.send(kPost + "Content-Length: 2000000\r\n\r\n" + std::string(bytes, 'x'));
    return client;
  };
  // They grow one after another: if two grew at once, both could be refused.
  Client first = start(1'500'000);
  REQUIRE(eventually([&] { return buffered() >= 1'500'000; }));
  Client second = start(1'400'000);
  REQUIRE(eventually([&] { return buffered() >= 2'900'000; }));
  Client third = start(1'400'000);
  CHECK(third.receive().status == 503);
  REQUIRE(eventually([&] { return buffered() == 2'900'000; }));
  first.send(std::string(500'000, 'x'));
  CHECK(first.receive().status == 503);
  REQUIRE(eventually([&] { return buffered() == 1'400'000; }));
  second.send(std::string(600'000, 'x'));
  CHECK(second.receive().status == 200);
  CHECK(running.refused(Cause::kMemory) == 2);
  CHECK(eventually([&] { return buffered() == 0; }));
}

}  // namespace
}  // namespace winnow::http::test
