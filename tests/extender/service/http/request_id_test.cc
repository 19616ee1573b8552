// X-Request-ID: which ids are taken, and that each answer has one.
#include "extender/service/http/request_id.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/extender/service/http/client.h"

namespace winnow::http::test {
namespace {

/// The value of X-Request-ID in a head; "": it has none.
std::string id_in(const std::string& head) {
  constexpr std::string_view kName = "\r\nX-Request-ID: ";
  const auto at = head.find(kName);
  if (at == std::string::npos) return {};
  const auto begin = at + kName.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

bool is_made(const std::string& id) {
  return id.size() == 16 &&
         std::ranges::all_of(id, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Answers with the id that the handler sees.
void tell_id(Request& request, Response& response) { response.body = request.id; }

TEST_CASE("http: the handler and the answer have the client's id, or a made one") {
  struct Row {
    const char* sentence;
    std::string fields;
    std::string id;  ///< "": a made one.
  };
  const std::string longest(kMostIdBytes, 'x');
  const Row rows[] = {
      {"a UUID is taken", "X-Request-ID: 0f8fad5b-d9cb-469f-a165-70867728950e\r\n",
       "0f8fad5b-d9cb-469f-a165-70867728950e"},
      {"the name's case does not matter", "x-request-id: a\r\n", "a"},
      {"blanks around it are no part of it", "X-Request-ID:  a b \r\n", "a b"},
      {"each printable character is taken", "X-Request-ID: !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\r\n",
       "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"},
      {"what looks encoded is not decoded", "X-Request-ID: a%41%0d%0aX: y\r\n", "a%41%0d%0aX: y"},
      {"the longest is taken", "X-Request-ID: " + longest + "\r\n", longest},
      {"of two the first is taken", "X-Request-ID: a\r\nX-Request-ID: b\r\n", "a"},
      {"without one it is made", "", ""},
      {"an empty one is replaced", "X-Request-ID:\r\n", ""},
      {"one that is too long is replaced", "X-Request-ID: " + longest + "x\r\n", ""},
      {"one with a tab is replaced", "X-Request-ID: a\tb\r\n", ""},
      {"one beyond ASCII is replaced", "X-Request-ID: caf\xc3\xa9\r\n", ""},
      {"another header is none", "X-Request-IDs: a\r\nRequest-ID: b\r\n", ""},
  };
  Running running(tell_id);
  Client client(running.port);  // One connection: no id stays for the next request.
  std::set<std::string> made;
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = client.ask("GET /x HTTP/1.1\r\nHost: a\r\n" + row.fields + "\r\n");
    REQUIRE(answer.status == 200);
    CHECK(id_in(answer.head) == answer.body);
    if (!row.id.empty()) CHECK(answer.body == row.id);
    if (row.id.empty()) CHECK(is_made(answer.body));
    if (row.id.empty()) CHECK(made.insert(answer.body).second);
  }
}

TEST_CASE("http: what is refused after its head has an id, and what has no head has none") {
  Limits limits;
  limits.body_bytes = 10;
  Running running(tell_id, limits);
  const auto ask = [&](const std::string& request) { return Client(running.port).ask(request); };
  const Answer large = ask("POST /x HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\nContent-Length: 11\r\n\r\n");
  CHECK(large.status == 413);
  CHECK(id_in(large.head) == "mine");
  CHECK(id_in(ask("nonsense\r\n\r\n").head).empty());
  Client client(running.port);
  CHECK(client.ask("GET /x HTTP/1.1\r\nHost: a\r\nX-Request-ID: first\r\n\r\n").body == "first");
  const Answer bad = client.ask("GET /x HTTP/1.1\r\nX-Request-ID: second\r\n\r\n");
  CHECK(bad.status == 400);
  CHECK(id_in(bad.head).empty());
}

}  // namespace
}  // namespace winnow::http::test
