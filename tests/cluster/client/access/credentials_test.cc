#include "cluster/client/access/credentials.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "cluster/client/transport/https_transport.h"
#include "tests/cluster/client/transport/nobody.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/cluster/client/transport/tls_server.h"
#include "tests/cluster/manual_clock.h"

namespace winnow::live::test {
namespace {

using namespace std::chrono_literals;

struct TokenFile {
  TempFolder folder;
  ManualClock clock;
  std::string file = folder.write("token", " one\n");
  std::unique_ptr<Credentials> credentials = Credentials::load({.token_file = file}, clock).value();
  std::string now() { return credentials->authorization(); }
};

}  // namespace

TEST_SUITE("live: credentials") {
  TEST_CASE("what is sent for what is known") {
    ManualClock clock;
    const TempFolder folder;
    const std::string file = folder.write("token", "from-file\n");
    struct Row {
      const char* name;
      ClientConfig config;
      const char* sent;
    };
    const Row rows[] = {
        {"nothing", {}, ""},
        {"a token, trimmed", {.token = " abc\n"}, "Bearer abc"},
        {"a file beats a token", {.token = "abc", .token_file = file}, "Bearer from-file"},
        {"a token stands in for a file that cannot be read",
         {.token = "abc", .token_file = file + "x"},
         "Bearer abc"},
        {"a name and a password", {.username = "me", .password = "pass:word"}, "Basic bWU6cGFzczp3b3Jk"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      const auto credentials = Credentials::load(row.config, clock);
      REQUIRE(credentials);
      CHECK((*credentials)->authorization() == row.sent);
    }
  }

  TEST_CASE("what cannot be used is refused at the start") {
    ManualClock clock;
    const TempFolder folder;
    const std::string none = folder.path("none");
    const auto error = [&](ClientConfig config) {
      const auto credentials = Credentials::load(std::move(config), clock);
      return credentials ? "" : credentials.error();
    };
    CHECK(error({.token_file = none}) == none + ": No such file or directory");
    const std::string empty = folder.write("empty", " \n");
    CHECK(error({.token_file = empty}) == empty + ": the file is empty");
    const std::string two = folder.write("two", "secret\r\nX-Remote-User: admin");
    CHECK(error({.token_file = two}) == two + ": white space or control characters in the token");
    CHECK(error({.token = "secret secret"}) == "the token holds white space or control characters");
    CHECK(error({.certificate_authority = {.file = none}}) == none + ": No such file or directory");
    CHECK(error({.certificate_authority = {.data = "secret"}}) ==
          "the certificate authority holds no certificate in PEM");
  }

  TEST_CASE_FIXTURE(TokenFile, "a rotated token is sent within a minute, and not read at each request") {
    CHECK(now() == "Bearer one");
    folder.write("token", "two");
    clock.advance(49s);
    CHECK(now() == "Bearer one");
    clock.advance(1s);
    CHECK(now() == "Bearer two");
    CHECK(credentials->counts().token_changes == 1);
    CHECK(credentials->counts().failures == 0);
  }

  TEST_CASE_FIXTURE(
      TokenFile, "the old token stays while the file is missing, empty or odd, and it is soon tried again") {
    int failures = 0;
    const auto still_one = [&] {
      clock.advance(50s);
      CHECK(now() == "Bearer one");
      CHECK(credentials->counts().failures == static_cast<std::uint64_t>(++failures));
    };
    folder.remove("token");
    still_one();
    CHECK(credentials->counts().last_failure == file + ": No such file or directory");
    folder.write("token", "\n");
    still_one();
    folder.write("token", "a b");
    still_one();
    folder.write("token", "two");
    clock.advance(9s);
    CHECK(now() == "Bearer one");
    clock.advance(1s);
    CHECK(now() == "Bearer two");
  }

  TEST_CASE_FIXTURE(TokenFile, "a refused token is read again at once if it is older than the request") {
    const Clock::Time before = clock.now();
    folder.write("token", "two");
    credentials->token_refused(before);  // Read at that very time: not older.
    CHECK(now() == "Bearer one");
    clock.advance(1s);
    const Clock::Time begun = clock.now();
    credentials->token_refused(begun);
    CHECK(now() == "Bearer two");
    // The rest of a burst was begun with the old token too: the new one is not doubted for it.
    folder.write("token", "three");
    for (int i = 0; i < 100; ++i) credentials->token_refused(begun);
    CHECK(now() == "Bearer two");
    clock.advance(1s);
    credentials->token_refused(clock.now());
    CHECK(now() == "Bearer three");
  }

  TEST_CASE_FIXTURE(TokenFile, "a refused token stays when there is no other") {
    folder.remove("token");
    clock.advance(1s);
    credentials->token_refused(clock.now());
    CHECK(now() == "Bearer one");
    CHECK(now() == "Bearer one");
    CHECK(credentials->counts().failures == 1);
  }

  TEST_CASE("certificates are read again within a minute; what does not fit together is not taken") {
    const Authority authority;
    const TempFolder folder;
    ManualClock clock;
    const Identity one = authority.issue({.common_name = "one"});
    const Identity two = authority.issue({.common_name = "two"});
    folder.write("ca", authority.certificate());
    folder.write("crt", one.certificate);
    folder.write("key", one.key);
    const auto credentials = Credentials::load({.certificate_authority = {.file = folder.path("ca")},
                                                .client_certificate = {.file = folder.path("crt")},
                                                .client_key = {.file = folder.path("key")}},
                                               clock)
                                 .value();
    const auto first = credentials->tls();
    clock.advance(60s);
    CHECK(credentials->tls() == first);  // The same bytes: nothing is made anew.
    folder.write("crt", two.certificate);
    clock.advance(59s);
    CHECK(credentials->tls() == first);
    CHECK(credentials->counts().failures == 0);
    clock.advance(1s);
    CHECK(credentials->tls() == first);
    CHECK(credentials->counts().last_failure ==
          "the client certificate and the client key do not belong together");
    folder.write("key", two.key);
    clock.advance(10s);
    const auto second = credentials->tls();
    CHECK(second != first);
    CHECK(credentials->counts().certificate_changes == 1);

    folder.write("ca", "");
    clock.advance(60s);
    CHECK(credentials->tls() == second);
    folder.write("ca", authority.certificate() + Authority().certificate());
    credentials->certificate_refused();
    CHECK(credentials->tls() != second);
    CHECK(credentials->counts().certificate_changes == 2);
    CHECK(credentials->counts().authority_changes == 1);
    CHECK(credentials->counts().client_certificate_changes == 1);
    CHECK(credentials->counts().failures == 2);
    CHECK(credentials->counts().token_failures == 0);
  }

  TEST_CASE_FIXTURE(TokenFile, "a failure is told when it begins, not each time it is found again") {
    std::vector<std::string> told;
    credentials->on_failure([&](const std::string& failure) { told.push_back(failure); });
    const auto look = [&] {
      clock.advance(50s);
      now();
    };
    folder.remove("token");
    for (int i = 0; i < 3; ++i) look();
    CHECK(told == std::vector<std::string>{file + ": No such file or directory"});
    folder.write("token", " ");
    look();
    CHECK(told.size() == 2);
    folder.write("token", "two");
    look();
    folder.remove("token");
    look();
    CHECK(told.size() == 3);
    CHECK(credentials->counts().token_failures == 5);
    // Who asks late is told what is the matter now.
    credentials->on_failure([&](const std::string& failure) { told.push_back(failure); });
    CHECK(told.size() == 4);
  }

  TEST_CASE("on the wire: a stream ends when the client's certificate has been renewed") {
    const Authority authority;
    const TempFolder folder;
    ManualClock clock;
    TlsServer server({.identity = authority.issue({.addresses = {"127.0.0.1"}}),
                      .client_authority = authority.certificate()},
                     [](Peer& peer, const Request&) {
                       peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                       for (const char* piece : {"3\r\none\r\n", "1\r\n\n\r\n", "4\r\ntwo\n\r\n"}) {
                         peer.write(piece);
                         std::this_thread::sleep_for(10ms);
                       }
                       peer.wait_for_close(10s);
                       return false;
                     });
    const auto write = [&](const Identity& identity) {
      folder.write("crt", identity.certificate);
      folder.write("key", identity.key);
    };
    write(authority.issue({.common_name = "before"}));
    const auto transport = HttpsTransport::make({.certificate_authority = {.data = authority.certificate()},
                                                 .client_certificate = {.file = folder.path("crt")},
                                                 .client_key = {.file = folder.path("key")}},
                                                clock)
                               .value();
    std::string pieces;
    const auto stream = [&](std::string_view until) {
      return transport->stream(server.url(), {"GET", "/", ""}, 5s, 5s,
                               [&](std::string_view piece) {
                                 if (pieces.empty() && !piece.empty()) {
                                   write(authority.issue({.common_name = "after"}));
                                   clock.advance(60s);
                                 }
                                 pieces += piece;
                                 return pieces != until;
                               },
                               {});
    };
    const auto ended = stream("never");
    REQUIRE_MESSAGE(ended, ended.error().message);
    CHECK(ended->status == 200);
    CHECK(pieces == "one\n");  // Not in the middle of a line.
    REQUIRE(stream("one\none\ntwo\n"));
    CHECK(server.requests().at(0).client == "before");
    CHECK(server.requests().at(1).client == "after");
  }

  TEST_CASE("on the wire: the next request has the new token, a burst of 401 reads it at once") {
    const Authority authority;
    const TempFolder folder;
    ManualClock clock;
    TlsServer server({.identity = authority.issue({.addresses = {"127.0.0.1"}})},
                     [](Peer& peer, const Request& request) {
                       const bool good = request.has("Authorization: Bearer two");
                       peer.write(answer("{}", good ? "200 OK" : "401 Unauthorized"));
                       return true;
                     });
    const auto transport = HttpsTransport::make({.certificate_authority = {.data = authority.certificate()},
                                                 .token_file = folder.write("token", "one")},
                                                clock)
                               .value();
    const auto status = [&] { return transport->call(server.url(), {"GET", "/", ""}, 5s, {})->status; };
    clock.advance(1s);
    CHECK(status() == 401);
    CHECK(status() == 401);
    folder.write("token", "two");
    clock.advance(1s);
    {
      // Those in flight together come with the old one; each thread's second has the new one.
      std::vector<std::jthread> threads;
      std::atomic<int> good = 0;
      for (int i = 0; i < 16; ++i)
        threads.emplace_back([&] {
          status();
          if (status() == 200) ++good;
        });
      threads.clear();
      CHECK(good == 16);
    }
    CHECK(transport->credential_counts().token_changes == 1);
    const auto counts = transport->counts();
    CHECK(counts.unauthorized >= 3);  // The first two, and those in flight with the old one.
    CHECK(counts.unauthorized <= 2 + 16);
    CHECK(counts.forbidden == 0);
  }

  TEST_CASE("on the wire: certificates are not read again because nobody is there") {
    const Authority authority;
    const TempFolder folder;
    ManualClock clock;
    const Nobody nobody;
    const auto transport =
        HttpsTransport::make(
            {.certificate_authority = {.file = folder.write("ca", Authority().certificate())}}, clock)
            .value();
    const auto ask = [&](const std::string& url) {
      return transport->call(url, {"GET", "/", ""}, 5s, {}).has_value();
    };
    folder.write("ca", authority.certificate());
    for (int i = 0; i < 2; ++i) CHECK_FALSE(ask(nobody.url("https")));
    CHECK(transport->credential_counts().certificate_changes == 0);
    const TlsServer server({.identity = authority.issue({.addresses = {"127.0.0.1"}})});
    CHECK_FALSE(ask(server.url()));  // The first authority has not signed it,
    CHECK(ask(server.url()));        // the one that is there now has.
    CHECK(transport->credential_counts().certificate_changes == 1);
  }

  TEST_CASE("on the wire: the authority and the server's certificate rotate together") {
    const Authority before;
    const Authority after;
    const TempFolder folder;
    ManualClock clock;
    TlsServer server({.identity = before.issue({.addresses = {"127.0.0.1"}})});
    const auto transport =
        HttpsTransport::make({.certificate_authority = {.file = folder.write("ca", before.certificate())}},
                             clock)
            .value();
    const auto good = [&] { return transport->call(server.url(), {"GET", "/", ""}, 5s, {}).has_value(); };
    CHECK(good());
    server.set_identity(after.issue({.addresses = {"127.0.0.1"}}));
    CHECK(good());  // The kept connection was good when it was made.
    CHECK(server.connections() == 1);
    server.close_connections();
    CHECK_FALSE(good());
    folder.write("ca", after.certificate());
    CHECK(good());  // A refusal does not wait for the minute to pass.
    folder.write("ca", after.certificate() + before.certificate());
    clock.advance(60s);
    const int connections = server.connections();
    CHECK(good());  // With other authorities there are other connections.
    CHECK(server.connections() == connections + 1);
  }
}

}  // namespace winnow::live::test
