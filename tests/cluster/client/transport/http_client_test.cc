// HttpClient over loopback: when it connects, when it closes, and what it does not send.
#include "cluster/client/transport/http_client.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <format>
#include <stop_token>
#include <thread>
#include <utility>

#include "cluster/client/access/server_url.h"
#include "cluster/client/transport/sockets.h"
#include "tests/cluster/client/transport/nobody.h"
#include "tests/cluster/client/transport/tls_server.h"

namespace winnow::live::test {
namespace {

using namespace std::chrono_literals;
using Kind = TransportError::Kind;
using Over = Exchange::Over;

struct Client {
  explicit Client(const std::string& server) : url(parse_server_url(server).value()) {}
  Exchange send(const ApiRequest& request = {.path = "/version"}, const std::string& authorization = "",
                std::stop_token stop = {}) {
    Deadline deadline(std::chrono::steady_clock::now() + 20s, std::move(stop));
    return client.send(request, authorization, 1000, nullptr, deadline);
  }

  const ServerUrl url;
  const std::string name;
  Resolver resolver;
  HttpClient client{{url, name, resolver, 60s}, nullptr};
};

TlsServer::Handler saying(std::string text, bool stay) {
  return [text = std::move(text), stay](Peer& peer, const Request&) {
    peer.write(text);
    return stay;
  };
}

/// Listens on loopback, and accepts nothing.
class Listener {
 public:
  Listener() {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener_, at, size) == 0);
    REQUIRE(::listen(listener_, 1) == 0);
    ::getsockname(listener_, at, &size);
    url_ = std::format("http://127.0.0.1:{}", ntohs(address.sin_port));
  }
  ~Listener() { ::close(listener_); }
  const std::string& url() const { return url_; }
  /// The descriptor of the next connection; -1 after close().
  int accept() const { return ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); }
  void close() const { ::shutdown(listener_, SHUT_RDWR); }

 private:
  const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string url_;
};

/// Answers the first connection before it has read the request, and cuts it.
class HastyServer {
 public:
  ~HastyServer() { listener_.close(); }
  const std::string& url() const { return listener_.url(); }

 private:
  void answer_early() const {
    const int fd = listener_.accept();
    char byte = 0;
    if (fd < 0 || ::recv(fd, &byte, 1, 0) != 1) return;
    const std::string text = answer("too long", "413 Content Too Large");
    ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    ::close(fd);  // By RST, because of what is unread.
  }

  const Listener listener_;
  const std::jthread thread_{[this] { answer_early(); }};
};

/// Reads to the connection's end. @return 0 for an end in order, or the errno.
int read_to_end(int fd) {
  std::string buffer(std::size_t{1} << 20, ' ');
  ssize_t got = 1;
  while (got > 0) got = ::recv(fd, buffer.data(), buffer.size(), 0);
  return got == 0 ? 0 : errno;
}

}  // namespace

TEST_SUITE("live: HttpClient") {
  TEST_CASE("it connects when it sends, keeps the connection, and connects again when that is gone") {
    TlsServer server({});
    Client client(server.url());
    CHECK_FALSE(client.client.is_open());
    CHECK(client.send().over == Over::kNew);
    CHECK(client.client.alive());
    const Exchange second = client.send();
    REQUIRE(second.answer);
    CHECK(second.over == Over::kKept);
    CHECK(second.sent);
    CHECK(second.heard);
    server.close_connections();
    for (int i = 0; i < 20'000 && client.client.alive(); ++i) std::this_thread::sleep_for(1ms);
    CHECK(client.client.is_open());
    const Exchange third = client.send({.method = "POST", .path = "/p", .body = "{}"});
    REQUIRE(third.answer);
    CHECK(third.over == Over::kNew);
    CHECK(server.connections() == 2);
    CHECK(server.requests().size() == 3);
  }

  TEST_CASE("nobody there: nothing was sent") {
    const Nobody nobody;
    const Exchange exchange = Client(nobody.url()).send();
    CHECK(exchange.over == Over::kNothing);
    CHECK_FALSE(exchange.sent);
    CHECK_FALSE(exchange.heard);
    CHECK(exchange.answer.error().message == "Connection refused");
  }

  TEST_CASE("a connection that cannot be used again is closed at once") {
    struct Row {
      const char* name;
      std::string text;
      bool stay;
      const char* body;
    };
    const Row rows[] = {
        {"the server says so", answer("ok", "200 OK", "Connection: close\r\n"), true, "ok"},
        {"the answer is of an old server", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", true, "ok"},
        {"the answer lasts until the end", "HTTP/1.1 200 OK\r\n\r\nok", false, "ok"},
        {"more came than the answer", answer("ok") + "HTTP/1.1 200 OK\r\n", true, "ok"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      const TlsServer server({}, saying(row.text, row.stay));
      Client client(server.url());
      const Exchange exchange = client.send();
      REQUIRE_MESSAGE(exchange.answer, exchange.answer.error().message);
      CHECK(exchange.answer->body == row.body);
      CHECK_FALSE(client.client.is_open());
    }
  }

  TEST_CASE("an answer counts that comes before the request has left") {
    const HastyServer server;
    Client client(server.url());
    const Exchange exchange =
        client.send({.method = "POST", .path = "/p", .body = std::string(std::size_t{64} << 20, 'x')});
    REQUIRE_MESSAGE(exchange.answer, exchange.answer.error().message);
    CHECK(exchange.answer->status == 413);
    CHECK(exchange.answer->body == "too long");
    CHECK_FALSE(client.client.is_open());
  }

  TEST_CASE("of a request that was given up nothing arrives later") {
    const Listener server;
    Client client(server.url());
    std::stop_source stop;
    int fd = -1;
    std::jthread first_byte([&] {
      char byte = 0;
      fd = server.accept();
      ::recv(fd, &byte, 1, 0);
      stop.request_stop();
    });
    const Exchange exchange =
        client.send({.method = "POST", .path = "/p", .body = "{}"}, "", stop.get_token());
    first_byte.join();
    REQUIRE_FALSE(exchange.answer);
    CHECK(exchange.answer.error().kind == Kind::kStopped);
    CHECK_FALSE(client.client.is_open());
    CHECK(read_to_end(fd) == ECONNRESET);  // By RST: what the kernel still had to send is dropped.
    ::close(fd);
  }

  TEST_CASE("a header that would forge another is not sent, and nothing is waited for") {
    const TlsServer server({});
    Client client(server.url());
    const Exchange exchange = client.send({.path = "/version"}, "Bearer a\r\nX: b");
    REQUIRE_FALSE(exchange.answer);
    CHECK(exchange.answer.error().kind == Kind::kUnreachable);
    CHECK(exchange.answer.error().message == "the request has a header that cannot be sent");
    CHECK_FALSE(exchange.sent);
    CHECK(client.send().answer);
    CHECK(server.requests().size() == 1);
  }

  TEST_CASE("a body of any length is sent without waiting for leave") {
    const TlsServer server({});
    Client client(server.url());
    for (const std::size_t size : {std::size_t{1}, std::size_t{1024}, std::size_t{1} << 20}) {
      CAPTURE(size);
      const std::string body(size, 'x');
      REQUIRE(client.send({.method = "POST", .path = "/p?x=%3B", .body = body}).answer);
      const Request request = server.requests().back();
      CHECK(request.head.starts_with("POST /p?x=%3B HTTP/1.1\r\n"));
      CHECK_FALSE(request.head.contains("Expect"));
      CHECK(request.body == body);
    }
    CHECK(server.connections() == 1);
  }
}

}  // namespace winnow::live::test
