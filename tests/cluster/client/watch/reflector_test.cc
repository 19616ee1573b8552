#include "cluster/client/watch/reflector.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "cluster/api/pod.h"
#include "tests/cluster/client/watch/script.h"

namespace winnow::live {
namespace {

using Error = TransportError::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The steps after "list at 5", and the requests that must follow, that list included.
struct Rule {
  const char* sentence;
  std::deque<Step> steps;
  const char* story;
  const char* objects;
  std::size_t waits;  ///< The number of back-offs, and of waits that a server asked for.
};

void check(const std::vector<std::string>& servers, const Rule& rule) {
  CAPTURE(rule.sentence);
  Script script(servers);
  script.run(rule.steps);
  CHECK(script.story() == rule.story);
  CHECK(script.objects() == rule.objects);
  CHECK(script.clock.waits.size() == rule.waits);
  CHECK(script.sink.violations == std::vector<std::string>());
}

constexpr std::string_view kTooLarge = R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"x"}]})";

}  // namespace

TEST_CASE("a reflector lists, then watches from there") {
  const Rule rules[] = {
      {"first the newest list, in pages; each page goes by its token alone",
       {page("5", {"a@1"}, "t1"), page("5", {"b@2"}, "t2"), page("5", {"c@3"}), stream({})},
       "list, page t1, page t2, watch from 5",
       "a@1 b@2 c@3",
       0},
      {"a page whose history is gone: the whole list, and nothing twice",
       {page("5", {"a@1"}, "t1"), says(410, "Expired"), page("6", {"a@1", "b@6"}), stream({})},
       "list, page t1, list whole, watch from 6",
       "a@1 b@6",
       0},
      {"a token that leads to itself is refused",
       {page("5", {"a@1"}, "t1"), page("5", {"b@1"}, "t1"), page("5", {"a@1"}), stream({})},
       "list, page t1, list, watch from 5",
       "a@1",
       1},
      {"what a list that failed had brought is not seen",
       {page("5", {"a@1"}), stream({error(410, "Expired")}), page("7", {"b@7"}, "t1"), fails(Error::kBroken)},
       "list, watch from 5, list from 5, page t1",
       "a@1",
       2},
      {"every event counts, a bookmark is no object",
       {page("5", {"a@1"}), stream({added("b@6") + modified("a@7"), deleted("b@8"), bookmark("20")}),
        stream({})},
       "list, watch from 5, watch from 20",
       "a@7",
       0},
      {"a watch that is closed is opened again from what is known, without a list",
       {page("5", {}), stream({added("a@6")}), stream({}), stream({})},
       "list, watch from 5, watch from 6, watch from 6",
       "a@6",
       0},
      {"a connection that broke too",
       {page("5", {}), breaks(stream({added("a@6")})), stream({})},
       "list, watch from 5, watch from 6",
       "a@6",
       0},
      {"an event that was cut is not seen until it comes whole",
       {page("5", {}), breaks(stream({added("a@6"), added("b@7").substr(0, 40)})), stream({added("b@7")})},
       "list, watch from 5, watch from 6",
       "a@6 b@7",
       0},
  };
  for (const Rule& rule : rules) check({"https://a"}, rule);
}

TEST_CASE("a watch that cannot be opened") {
  const Rule rules[] = {
      {"refused connections: back off, watch again, no list",
       {page("5", {}), fails(Error::kUnreachable), fails(Error::kUnreachable), stream({})},
       "list, watch from 5, watch from 5, watch from 5",
       "",
       2},
      {"429: back off, watch again, no list",
       {page("5", {}), says(429, "TooManyRequests"), stream({})},
       "list, watch from 5, watch from 5",
       "",
       1},
      {"410: a list that is not older than what is known",
       {page("5", {}), says(410, "Expired"), page("9", {"a@9"}), stream({})},
       "list, watch from 5, list from 5, watch from 9",
       "a@9",
       1},
      {"500: a list",
       {page("5", {}), says(500, "InternalError"), page("9", {}), stream({})},
       "list, watch from 5, list from 5, watch from 9",
       "",
       1},
      {"closed at once, nothing said: a list",
       {page("5", {}), stream({}, 0.5), page("9", {}), stream({})},
       "list, watch from 5, list from 5, watch from 9",
       "",
       1},
      {"401: the watch again at once, a token may have run out; no list",
       {page("5", {}), says(401, "Unauthorized"), stream({}), says(401, "Unauthorized"), stream({})},
       "list, watch from 5, watch from 5, watch from 5, watch from 5",
       "",
       0},
      {"401 twice: a list",
       {page("5", {}), says(401, "Unauthorized"), says(401, "Unauthorized"), page("9", {}), stream({})},
       "list, watch from 5, watch from 5, list from 5, watch from 9",
       "",
       1},
      {"closed at once after news: a short wait, no list",
       {page("5", {}), stream({added("a@6")}, 0.5), stream({})},
       "list, watch from 5, watch from 6",
       "a@6",
       1},
  };
  for (const Rule& rule : rules) check({"https://a"}, rule);
}

TEST_CASE("what every server denies is in the status until a watch is open") {
  const std::string revoked = "the API server refuses Winnow's credentials (401): no list or watch of pods";
  const std::string no_right = "the API server denies Winnow a right: 403 Forbidden: pods is forbidden";
  const auto says_401 = [] { return says(401, "Unauthorized", "Unauthorized"); };
  const auto says_403 = [] { return says(403, "Forbidden", "pods is forbidden"); };
  struct Row {
    const char* sentence;
    std::vector<std::string> servers;
    std::deque<Step> steps;
    std::string denied;
  };
  const Row rows[] = {
      {"all is well", {"https://a"}, {page("5", {}), stream({})}, ""},
      {"once: a token may have run out", {"https://a"}, {page("5", {}), says_401()}, ""},
      {"twice", {"https://a"}, {page("5", {}), says_401(), says_401()}, revoked},
      {"a watch is open again",
       {"https://a"},
       {page("5", {}), says_401(), says_401(), page("6", {}), stream({})},
       ""},
      {"a list that is let in is no watch",
       {"https://a"},
       {page("5", {}), says_403(), says_403(), page("6", {})},
       no_right},
      {"from the start", {"https://a"}, {says_403(), says_403()}, no_right},
      {"what is denied last counts", {"https://a"}, {says_401(), says_401(), says_403()}, no_right},
      {"other troubles take nothing back",
       {"https://a"},
       {says_401(), says_401(), says(500, "InternalError")},
       revoked},
      {"two servers, and one has not been asked",
       {"https://a", "https://b"},
       {page("5", {}), says_401(), says_401()},
       ""},
      {"two servers",
       {"https://a", "https://b"},
       {page("5", {}), says_401(), says_401(), says_401()},
       revoked},
      {"two servers, one of them dead",
       {"https://a", "https://b"},
       {says_401(), fails(Error::kUnreachable), says_401(), fails(Error::kUnreachable), says_401()},
       revoked},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Script script(row.servers);
    script.run(row.steps);
    CHECK(script.reflector.status().denied == row.denied);
  }
}

TEST_CASE("a resource that all servers deny, or do not serve, is done without, unless it is required") {
  const std::string no_right = "the API server denies Winnow a right: 403 Forbidden: pods is forbidden";
  const std::string not_served = "no API server serves them: 404: 404 page not found";
  const auto says_403 = [] { return says(403, "Forbidden", "pods is forbidden"); };
  const auto says_404 = [] { return body(404, "404 page not found"); };
  struct Row {
    const char* sentence;
    KindPresence presence;
    std::vector<std::string> servers;
    std::deque<Step> steps;
    bool synced;
    std::string_view unread;
    std::string missing;
    bool denied = false;
  };
  const Row rows[] = {
      {"denied", kExpected, {"https://a"}, {says_403()}, false, "list", no_right},
      {"not served", kExpected, {"https://a"}, {says_404()}, false, "list", not_served},
      {"denied, and optional", kOptional, {"https://a"}, {says_403()}, false, "list", no_right},
      {"not served, and optional: no lack", kOptional, {"https://a"}, {says_404()}, false, "list", ""},
      {"denied, and required", kRequired, {"https://a"}, {says_403(), says_403()}, false, "", "", true},
      {"not served, and required", kRequired, {"https://a"}, {says_404(), says_404()}, false, "", ""},
      {"two servers, and one has not been asked",
       kExpected,
       {"https://a", "https://b"},
       {says_404()},
       false,
       "",
       ""},
      {"two servers: what is said last counts",
       kExpected,
       {"https://a", "https://b"},
       {says_404(), says_403()},
       false,
       "list",
       no_right},
      {"two servers, and one serves it",
       kExpected,
       {"https://a", "https://b"},
       {says_404(), page("5", {"a@5"}), stream({})},
       true,
       "",
       ""},
      {"granted later", kExpected, {"https://a"}, {says_403(), page("5", {"a@5"}), stream({})}, true, "", ""},
      {"served later", kExpected, {"https://a"}, {says_404(), page("5", {"a@5"}), stream({})}, true, "", ""},
      {"the watch alone is denied: what was listed stays",
       kExpected,
       {"https://a"},
       {page("5", {"a@5"}), says_403()},
       true,
       "watch",
       no_right},
      {"a list that is let in is no watch",
       kExpected,
       {"https://a"},
       {page("5", {"a@5"}), says_403(), page("5", {"a@5"})},
       true,
       "watch",
       no_right},
      {"the watch is granted later",
       kExpected,
       {"https://a"},
       {page("5", {"a@5"}), says_403(), page("5", {"a@5"}), stream({})},
       true,
       "",
       ""},
      {"what was watched and is denied then is denied as what is required",
       kExpected,
       {"https://a"},
       {page("5", {"a@5"}), stream({}), says_403(), says_403(), says_403()},
       true,
       "",
       "",
       true},
      {"what was watched and is optional stays as it is known",
       kOptional,
       {"https://a"},
       {page("5", {"a@5"}), stream({}), says_403(), says_403(), says_403()},
       true,
       "list",
       no_right},
      {"credentials that are refused are no missing right",
       kExpected,
       {"https://a"},
       {says(401, "Unauthorized"), says(401, "Unauthorized")},
       false,
       "",
       "",
       true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Script script(row.servers, row.presence);
    script.run(row.steps);
    const ReflectorStatus status = script.reflector.status();
    CHECK(status.synced == row.synced);
    CHECK(status.unread == row.unread);
    CHECK(status.missing_right == row.missing);
    CHECK(status.denied.empty() != row.denied);
    CHECK(script.objects() == (row.synced ? "a@5" : ""));
    // A list that is refused before there was one is written as an empty one.
    if (!row.synced || !row.unread.empty()) CHECK((script.sink.left_unread > 0) == row.synced);
  }
}

TEST_CASE(
    "what is done without is asked for again: within a minute, or every five minutes where it is optional") {
  const auto says_403 = [] { return says(403, "Forbidden", "pods is forbidden"); };
  Script optional({"https://a"}, kOptional);
  optional.run({body(404, "404 page not found"), says_403()});
  CHECK(optional.asked[1].at - optional.asked[0].at == Reflector::kOptionalAgain);
  CHECK(optional.reflector.status().unread_at == optional.asked[1].at);
  Script expected({"https://a"}, kExpected);
  expected.run(std::deque<Step>(20, says_403()));
  for (std::size_t i = 1; i < expected.asked.size(); ++i) {
    CHECK(expected.asked[i].at - expected.asked[i - 1].at >= Backoff::kFirst);
    CHECK(expected.asked[i].at - expected.asked[i - 1].at < 2 * Backoff::kCap);
  }
  CHECK(expected.sink.count(WatchError::kDenied) == 0);  // The log has no line for each refusal.
}

TEST_CASE("what is optional and denied is asked for more often at first: a server may just have started") {
  const auto says_403 = [] { return says(403, "Forbidden", "pods is forbidden"); };
  Script script({"https://a"}, kOptional);
  script.run(std::deque<Step>(30, says_403()));
  const auto denied_for = [&](std::size_t i) { return script.asked[i].at - script.asked[0].at; };
  std::size_t often = 0;
  for (std::size_t i = 1; i < script.asked.size(); ++i) {
    const auto pause = script.asked[i].at - script.asked[i - 1].at;
    if (denied_for(i - 1) >= Reflector::kMayHaveStarted) {
      CHECK(pause == Reflector::kOptionalAgain);
      continue;
    }
    ++often;
    CHECK(pause < 2 * Backoff::kCap);
  }
  CHECK(often >= 3);
  // The alert WinnowDenied looks at three minutes, and waits for five.
  CHECK(denied_for(often) < std::chrono::minutes(2));
  CHECK(script.sink.count(WatchError::kDenied) == 0);
}

TEST_CASE("what was denied for long, and is read again, is asked for more often when it is denied anew") {
  const auto says_403 = [] { return says(403, "Forbidden", "pods is forbidden"); };
  Script script({"https://a"}, kOptional);
  std::deque<Step> steps(20, says_403());
  steps.push_back(page("5", {"a@5"}));
  steps.push_back(stream({}));
  for (int i = 0; i < 4; ++i) steps.push_back(says_403());  // Two watches, then lists.
  script.run(steps);
  REQUIRE(script.asked.size() == 26);
  CHECK(script.asked[20].at - script.asked[19].at == Reflector::kOptionalAgain);
  CHECK(script.asked[25].at - script.asked[24].at < 2 * Backoff::kCap);
}

TEST_CASE("watches that are closed early, each with news, follow each other every ten seconds") {
  Script script;
  std::deque<Step> steps = {page("5", {})};
  for (int i = 0; i < 20; ++i) steps.push_back(stream({added("a@" + std::to_string(6 + i))}, 9));
  script.run(steps);
  REQUIRE(script.asked.size() == 21);
  for (std::size_t i = 2; i < script.asked.size(); ++i)
    CHECK(script.asked[i].at - script.asked[i - 1].at == seconds(10));
}

TEST_CASE("ERROR events") {
  const Rule rules[] = {
      {"410: a list",
       {page("5", {"a@1"}), stream({error(410, "Expired")}), page("9", {}), stream({})},
       "list, watch from 5, list from 5, watch from 9",
       "",
       1},
      {"429: the same watch after a back-off",
       {page("5", {}), stream({added("a@6"), error(429, "TooManyRequests")}), stream({})},
       "list, watch from 5, watch from 6",
       "a@6",
       1},
      {"500: a list",
       {page("5", {}), stream({error(500, "InternalError")}), page("9", {}), stream({})},
       "list, watch from 5, list from 5, watch from 9",
       "",
       1},
      {"what follows an ERROR event is not taken",
       {page("5", {}), stream({error(500, "InternalError") + added("a@6")}), page("9", {}), stream({})},
       "list, watch from 5, list from 5, watch from 9",
       "",
       1},
  };
  for (const Rule& rule : rules) check({"https://a"}, rule);
}

TEST_CASE("a list that cannot be had") {
  const Rule rules[] = {
      {"410: the newest at once",
       {page("5", {}), stream({error(410, "Expired")}), says(410, "Gone"), page("9", {}), stream({})},
       "list, watch from 5, list from 5, list, watch from 9",
       "",
       1},
      {"too large: the newest at once",
       {page("5", {}), stream({error(410, "Expired")}), says(504, "Timeout", "x", kTooLarge), page("9", {}),
        stream({})},
       "list, watch from 5, list from 5, list, watch from 9",
       "",
       1},
      {"then lists are asked for as before",
       {page("5", {}), stream({error(410, "Expired")}), says(410, "Gone"), page("9", {}),
        stream({error(410, "Expired")}), page("9", {}), stream({})},
       "list, watch from 5, list from 5, list, watch from 9, list from 9, watch from 9",
       "",
       2},
      {"429 with Retry-After is waited for",
       {with_retry_after(says(429, "TooManyRequests"), 1), page("5", {}), stream({})},
       "list, list, watch from 5",
       "",
       1},
      {"a Table is refused",
       {body(200, R"({"kind":"Table","metadata":{"resourceVersion":"5"},"rows":[]})"), page("5", {}),
        stream({})},
       "list, list, watch from 5",
       "",
       1},
      {"a list of another kind is refused",
       {body(200, R"({"kind":"NodeList","metadata":{"resourceVersion":"5"},"items":[]})"), page("5", {}),
        stream({})},
       "list, list, watch from 5",
       "",
       1},
      {"a list without a resource version is refused",
       {page("", {}), page("0", {}), page("5", {}), stream({})},
       "list, list, list, watch from 5",
       "",
       2},
      {"403", {says(403, "Forbidden"), page("5", {}), stream({})}, "list, list, watch from 5", "", 1},
  };
  for (const Rule& rule : rules) check({"https://a"}, rule);
}

TEST_CASE("a list that is too much for one answer comes in pages") {
  const Rule rules[] = {
      {"too large: in pages, and from then on always",
       {page("5", {}), stream({error(410, "Expired")}), fails(Error::kOversized), page("9", {"a@1"}, "t"),
        page("9", {"b@9"}), stream({error(410, "Expired")}), page("11", {"c@11"}), stream({})},
       "list, watch from 5, list from 5, list, page t, watch from 9, list, watch from 11",
       "c@11",
       3},
      {"too slow: in pages, and whole again when a list has come",
       {page("5", {}), stream({error(410, "Expired")}), fails(Error::kTimeout), page("9", {"a@9"}),
        stream({error(410, "Expired")}), page("11", {"c@11"}), stream({})},
       "list, watch from 5, list from 5, list, watch from 9, list from 9, watch from 11",
       "c@11",
       3},
      {"the server's own limit ran out",
       {page("5", {}), stream({error(410, "Expired")}), says(504, "Timeout", "request did not complete"),
        page("9", {"a@9"}), stream({})},
       "list, watch from 5, list from 5, list, watch from 9",
       "a@9",
       2},
      {"a reset says nothing of the size",
       {page("5", {}), stream({error(410, "Expired")}), fails(Error::kBroken), page("9", {"a@9"}),
        stream({})},
       "list, watch from 5, list from 5, list from 5, watch from 9",
       "a@9",
       2},
      {"in pages, older than what is known: refused as ever",
       {page("5", {"a@5"}), stream({error(410, "Expired")}), fails(Error::kOversized), page("4", {}),
        page("6", {"b@6"}), stream({})},
       "list, watch from 5, list from 5, list, list, watch from 6",
       "b@6",
       3},
      {"a page is gone and the whole too large: the pages again, never the whole",
       {page("5", {"a@1"}, "t"), says(410, "Expired"), fails(Error::kOversized), page("6", {"a@1"}, "u"),
        says(410, "Expired"), page("7", {"a@1"}, "v"), page("7", {"b@7"}), stream({})},
       "list, page t, list whole, list, page u, list, page v, watch from 7",
       "a@1 b@7",
       2},
  };
  for (const Rule& rule : rules) check({"https://a"}, rule);
}

TEST_CASE("events that are odd") {
  const std::string table = R"({"type":"ADDED","object":{"kind":"Table","metadata":{"resourceVersion":"6"}}})"
                            "\n";
  const std::string unknown =
      R"({"type":"SYNCED","object":{"kind":"Pod","metadata":{"name":"x","resourceVersion":"99"}}})"
      "\n";
  const std::string no_version = R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"x"}}})"
                                 "\n";
  const Rule rules[] = {
      {"an unknown type is skipped, the stream goes on",
       {page("5", {}), stream({unknown + added("a@6")}), stream({})},
       "list, watch from 5, watch from 6",
       "a@6",
       0},
      {"another kind is refused, and what it may have hidden is listed",
       {page("5", {}), stream({table + added("a@7")}), page("7", {"a@7"}), stream({})},
       "list, watch from 5, list from 5, watch from 7",
       "a@7",
       1},
      {"so is an object without a resource version",
       {page("5", {}), stream({no_version}), page("7", {}), stream({})},
       "list, watch from 5, list from 5, watch from 7",
       "",
       1},
      {"and what is no JSON",
       {page("5", {}), stream({"<html>\n"}), page("7", {}), stream({})},
       "list, watch from 5, list from 5, watch from 7",
       "",
       1},
  };
  for (const Rule& rule : rules) check({"https://a"}, rule);
}

TEST_CASE("events out of order") {
  const Rule rules[] = {
      {"one below another of the same watch: what it changed was missed, and is listed",
       {page("5", {"a@1"}), stream({added("b@8") + modified("a@7") + added("c@9")}),
        page("9", {"a@7", "b@8", "c@9"}), stream({})},
       "list, watch from 5, list from 8, watch from 9",
       "a@7 b@8 c@9",
       1},
      {"one that was told before, too: nobody knows what else is missing",
       {page("5", {"a@1"}), stream({added("b@8"), added("c@9"), added("b@8")}), page("9", {"b@8", "c@9"}),
        stream({})},
       "list, watch from 5, list from 9, watch from 9",
       "b@8 c@9",
       1},
      {"one that is not newer than the list: the server is behind, and nothing was missed",
       {page("5", {"a@5"}), stream({added("b@4")}), page("6", {}, "t"), stream({})},
       "list, watch from 5, probe from 5, watch from 5",
       "a@5",
       1},
      {"the same one twice is taken twice",
       {page("5", {}),
        stream({added("a@8") + added("a@8"), added("b@9") + deleted("b@10") + deleted("b@10")}), stream({})},
       "list, watch from 5, watch from 10",
       "a@8",
       0},
      {"a bookmark below an event misses nothing",
       {page("5", {}), stream({added("a@8"), bookmark("7")}), page("8", {}, "t"), stream({})},
       "list, watch from 5, probe from 8, watch from 8",
       "a@8",
       1},
  };
  for (const Rule& rule : rules) check({"https://a"}, rule);
}

TEST_CASE("events of an object whose ADDED was never told") {
  Script script;
  script.sink.misses_events = true;
  script.run({page("5", {"a@1"}), stream({modified("b@6") + deleted("c@7")}), stream({})});
  CHECK(script.story() == "list, watch from 5, watch from 7");
  CHECK(script.objects() == "a@1 b@6");
  CHECK(script.sink.violations == std::vector<std::string>());
}

TEST_CASE("a list whose answer takes long is told of while it comes") {
  Script script;
  Step slow = page("5", {"a@5"});
  slow.lasts = 45;
  const std::size_t bytes = slow.answer->body.size();
  Step quick = page("6", {"a@5"});
  quick.lasts = 9;
  script.run({slow, stream({error(410, "Expired")}), quick, stream({})});
  CHECK(script.story() == "list, watch from 5, list from 5, watch from 6");
  CHECK(script.sink.slow == std::vector<std::string>{"https://a: " + std::to_string(bytes)});
}

TEST_CASE("what is lost is listed again at once, and the status says so until then") {
  Script script;
  std::vector<bool> synced;
  script.clock.at(after(100), [&] {
    synced.push_back(script.reflector.status().synced);
    script.reflector.list_again();
    synced.push_back(script.reflector.status().synced);
  });
  script.clock.at(after(400), [&] { synced.push_back(script.reflector.status().synced); });
  script.run({page("5", {"a@5"}), stream({added("b@6")}, 300), page("6", {"a@5", "b@6"}), stream({}, 300)});
  CHECK(script.story() == "list, watch from 5, list from 6, watch from 6");
  CHECK(synced == std::vector<bool>{true, false, true});
  CHECK(script.clock.waits.empty());
}

TEST_CASE("over two servers") {
  const std::vector<std::string> both = {"https://a", "https://b"};
  const Rule rules[] = {
      {"the other server is asked at once, and after both a back-off",
       {fails(Error::kUnreachable), fails(Error::kTimeout), fails(Error::kBroken), page("5", {}), stream({})},
       "list, list, list, list, watch from 5",
       "",
       1},
      {"a watch goes on at the other server without a list",
       {page("5", {}), breaks(stream({added("a@6")})), stream({added("b@7")})},
       "list, watch from 5, watch from 6",
       "a@6 b@7",
       0},
      {"an older list is refused and asked for elsewhere, not older than what is known",
       {page("5", {"a@5"}), stream({error(410, "Expired")}), page("4", {}), page("6", {"a@6"}), stream({})},
       "list, watch from 5, list from 5, list from 5, watch from 6",
       "a@6",
       1},
      {"an older event is refused; the other server is asked how far it is",
       {page("5", {"a@5"}), stream({modified("a@4") + added("b@3")}), page("6", {}, "t"), stream({})},
       "list, watch from 5, probe from 5, watch from 5",
       "a@5",
       0},
      {"an older bookmark as well",
       {page("5", {"a@5"}), stream({bookmark("4")}), page("6", {}), stream({})},
       "list, watch from 5, probe from 5, watch from 5",
       "a@5",
       0},
      {"an older newest list is refused",
       {page("5", {"a@5"}), stream({error(410, "Expired")}), says(504, "Timeout", "x", kTooLarge),
        page("4", {}), page("6", {"a@6"}), stream({})},
       "list, watch from 5, list from 5, list, list from 5, watch from 6",
       "a@6",
       1},
      {"a server that is behind and says when to come again is not waited for",
       {page("5", {"a@5"}), with_retry_after(says(504, "Timeout", "x", kTooLarge), 1), page("6", {}),
        stream({})},
       "list, watch from 5, probe from 5, watch from 5",
       "a@5",
       0},
      {"one that asks for patience is asked twice, then the other one, and nothing is listed",
       {page("5", {"a@5"}), with_retry_after(says(429, "TooManyRequests"), 1),
        with_retry_after(body(503, "shutting down"), 1), stream({})},
       "list, watch from 5, watch from 5, watch from 5",
       "a@5",
       2},
      {"a silent watch: the other server is asked how far it is",
       {page("5", {}), breaks(stream({}, 90), Error::kTimeout), page("7", {"a@7"}), stream({})},
       "list, watch from 5, probe from 5, watch from 5",
       "",
       0},
      {"a server that cannot be asked so is listed",
       {page("5", {}), breaks(stream({}, 90), Error::kTimeout), says(400, "BadRequest"), page("7", {}),
        stream({})},
       "list, watch from 5, probe from 5, list from 5, watch from 7",
       "",
       1},
  };
  for (const Rule& rule : rules) {
    check(both, rule);
    Script script(both);
    script.run(rule.steps);
    CHECK(script.asked[1].server ==
          (rule.steps[0].answer ? script.asked[0].server : both[script.asked[0].server == both[0]]));
  }
}

TEST_CASE("older data is counted as such") {
  Script script({"https://a", "https://b"});
  script.run(
      {page("5", {}), stream({added("a@4")}), page("5", {}), stream({error(410, "Gone")}), page("3", {})});
  CHECK(script.sink.count(WatchError::kOlder) == 2);
  CHECK(script.sink.count(WatchError::kExpired) == 1);
  CHECK(script.sink.rewinds == 0);
}

TEST_CASE("requests are as an API server reads them") {
  Script script;
  script.run({page("5", {}, "a/b"), page("5", {}), stream({error(410, "Gone")}), page("6", {}),
              breaks(stream({}), Error::kTimeout), page("6", {}), stream({})});
  REQUIRE(script.asked.size() == 7);
  CHECK(script.asked[0].path == "/api/v1/pods?limit=500");
  CHECK(script.asked[1].path == "/api/v1/pods?limit=500&continue=a%2Fb");
  CHECK(script.asked[2].path.starts_with(
      "/api/v1/pods?allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds="));
  CHECK(script.asked[2].path.ends_with("&watch=true"));
  CHECK(script.asked[3].path == "/api/v1/pods?resourceVersion=5&resourceVersionMatch=NotOlderThan");
  CHECK(script.asked[5].path == "/api/v1/pods?limit=1&resourceVersion=6&resourceVersionMatch=NotOlderThan");
}

TEST_CASE("pages without end are given up, and the next attempt waits") {
  Script script;
  std::deque<Step> steps;
  for (std::size_t i = 0; i < Lister::kEmptyPages + 1; ++i)
    steps.push_back(page("5", {}, "token" + std::to_string(i)));
  const std::size_t lists = steps.size();
  steps.push_back(page("5", {"a@4"}));
  script.run(std::move(steps));
  REQUIRE(script.asked.size() == lists + 1);
  CHECK(script.sink.count(WatchError::kMalformed) == 1);
  CHECK(script.asked.back().what == "list");
  CHECK(script.asked.back().at > script.asked[lists - 1].at);
  CHECK(script.objects() == "a@4");
}

TEST_CASE("a list may have many pages, and some of them empty") {
  Script script;
  std::deque<Step> steps;
  for (std::size_t i = 0; i < 3 * Lister::kEmptyPages; ++i) {
    std::vector<std::string> objects;
    if (i % Lister::kEmptyPages == 0) objects.push_back("a" + std::to_string(i) + "@4");
    steps.push_back(page("5", objects, "token" + std::to_string(i)));
  }
  steps.push_back(page("5", {}));
  script.run(std::move(steps));
  CHECK(script.sink.count(WatchError::kMalformed) == 0);
  CHECK(script.objects() == "a0@4 a100@4 a200@4");
}

TEST_CASE("a watch's timeout is at random between 300 and 600 s") {
  Script script;
  std::deque<Step> steps = {page("5", {})};
  for (int i = 0; i < 200; ++i) steps.push_back(stream({}));
  script.run(steps);
  std::set<int> timeouts;
  for (std::size_t i = 1; i < script.asked.size(); ++i) {
    const std::string& path = script.asked[i].path;
    timeouts.insert(std::atoi(path.c_str() + path.find("timeoutSeconds=") + 15));
  }
  CHECK(timeouts.size() > 100);
  CHECK(*timeouts.begin() >= 300);
  CHECK(*timeouts.rbegin() <= 600);
}

TEST_CASE("the status tells how far a reflector is") {
  Script script;
  CHECK_FALSE(script.reflector.status().synced);
  CHECK_FALSE(script.reflector.status().connected);
  CHECK(script.reflector.status().resource_version.empty());
  script.run({page("5", {}), stream({bookmark("9")}, 500)});
  const ReflectorStatus status = script.reflector.status();
  CHECK(status.synced);
  CHECK_FALSE(status.connected);
  CHECK(status.resource_version == "9");
  CHECK(status.server == "https://a");
  CHECK(status.last_word == after(500));
}

namespace {

/// The status at a time of a reflector whose watch is open since 0 and runs like this. After the watch no
/// server can be reached.
ReflectorStatus status_at(double time, Step watch) {
  Script script;
  ReflectorStatus status;
  script.clock.at(after(time), [&] { status = script.reflector.status(); });
  std::deque<Step> steps = {page("5", {}), std::move(watch)};
  for (int i = 0; i < 10; ++i) steps.push_back(fails(Error::kUnreachable));
  script.run(steps);
  return status;
}

}  // namespace

TEST_CASE("an open watch may be silent for as long as its next bookmark takes, and no longer") {
  const ReflectorStatus quiet = status_at(70, stream({}, 300));
  CHECK(quiet.connected);
  CHECK(quiet.last_word == after(0));
  CHECK(quiet.silence(after(70)) == seconds(0));
  CHECK(quiet.silence(after(80)) == seconds(0));
  CHECK(quiet.silence(after(81)) == seconds(81));  // The server is frozen: nothing was heard since 0.
}

TEST_CASE("how a watch ends tells whether its server had a word") {
  struct Row {
    const char* sentence;
    Step watch;
    double last_word;
  };
  const Row rows[] = {
      {"closed in order", stream({}, 70), 70},
      {"cut off", breaks(stream({}, 70)), 70},
      {"given up because nothing came", breaks(stream({}, 70), Error::kTimeout), 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const ReflectorStatus out = status_at(100, row.watch);
    CHECK_FALSE(out.connected);
    CHECK(out.last_word == after(row.last_word));
    CHECK(out.silence(after(100)) == after(100) - after(row.last_word));  // Silence below kQuiet counts too.
  }
}

TEST_CASE("a server that says how far it is has had a word") {
  Script script({"https://a", "https://b"});
  script.run({page("5", {}), breaks(stream({}, 75), Error::kTimeout), page("5", {})});
  CHECK(script.story() == "list, watch from 5, probe from 5");
  CHECK(script.reflector.status().last_word == after(75));
}

}  // namespace winnow::live
