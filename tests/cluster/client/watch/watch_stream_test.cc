#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/client/watch/watcher.h"
#include "tests/cluster/client/watch/script.h"

namespace winnow::live {
namespace {

/// The events of a stream that is cut into these pieces: "ADDED 5 …" line by line, at the end "!" and the
/// error.
std::string feed(const std::vector<std::string_view>& pieces,
                 std::size_t longest = WatchStream::kLongestLine) {
  WatchStream stream(longest);
  std::string heard;
  for (const std::string_view piece : pieces) {
    const auto fed = stream.feed(piece, [&](const WatchEvent& event) {
      heard.append(event.type_name).append(" ").append(event.resource_version).append(" ");
      heard.append(event.object).append("\n");
      return true;
    });
    if (!fed) return heard + "!" + fed.error();
  }
  return stream.mid_line() ? heard + "…" : heard;
}

}  // namespace

TEST_CASE("a line is one event") {
  const auto event = read_watch_event(
      R"({"type":"MODIFIED","object":{"kind":"Pod","metadata":{"labels":{"resourceVersion":"1"},"resourceVersion":"42"}}})");
  REQUIRE(event);
  CHECK(event->type == WatchEvent::Type::kModified);
  CHECK(event->kind == "Pod");
  CHECK(event->resource_version == "42");
  CHECK(event->object ==
        R"({"kind":"Pod","metadata":{"labels":{"resourceVersion":"1"},"resourceVersion":"42"}})");
}

TEST_CASE("events that are odd") {
  struct Row {
    const char* sentence;
    const char* line;
    WatchEvent::Type type;
    const char *kind, *version;
  };
  using enum WatchEvent::Type;
  const Row rows[] = {
      {"the object may come first", R"({"object":{"kind":"Pod"},"type":"ADDED"})", kAdded, "Pod", ""},
      {"an unknown type is told apart", R"({"type":"SYNC","object":{}})", kUnknown, "", ""},
      {"no type", R"({"object":{}})", kUnknown, "", ""},
      {"types are as written", R"({"type":"added","object":{}})", kUnknown, "", ""},
      {"metadata is null", R"({"type":"ADDED","object":{"kind":"Pod","metadata":null}})", kAdded, "Pod", ""},
      {"a version that is no string", R"({"type":"ADDED","object":{"metadata":{"resourceVersion":5}}})",
       kAdded, "", ""},
      {"an item's version is not the object's",
       R"({"type":"ADDED","object":{"spec":{"metadata":{"resourceVersion":"5"}}}})", kAdded, "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto event = read_watch_event(row.line);
    REQUIRE(event);
    CHECK(event->type == row.type);
    CHECK(event->kind == row.kind);
    CHECK(event->resource_version == row.version);
  }
}

TEST_CASE("a line that is no event says where") {
  CHECK(read_watch_event("<html>").error() == "byte 0: expected '{', found '<'");
  CHECK(read_watch_event(R"({"type":"ADDED"})").error() == "there is no object in it");
  CHECK(read_watch_event(R"({"type":"ADDED","object":null})").error() == "byte 25: expected '{', found 'n'");
  CHECK(read_watch_event(R"({"type":"ADDED","object":{}} {)").error() ==
        "byte 29: expected nothing more, found '{'");
}

TEST_CASE("an event of a pieces' stream is the same wherever it is cut") {
  const std::string text = added("a@5") + "\n\r\n" + modified("b@6") + bookmark("7") + deleted("a@8");
  const std::string whole = feed({text});
  CHECK(std::ranges::count(whole, '\n') == 4);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string_view view = text;
    CHECK(feed({view.substr(0, cut), view.substr(cut)}) == whole);
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(std::string_view(text).substr(i, 1));
  CHECK(feed(bytes) == whole);
}

TEST_CASE("an end in the middle of a line is known") {
  const std::string text = added("a@5");
  CHECK(feed({text, "{\"ty"}).ends_with("…"));
  CHECK_FALSE(feed({text}).ends_with("…"));
}

TEST_CASE("a line is bounded") {
  const std::string text = added("a@5");
  CHECK(feed({text}, text.size()).starts_with("ADDED 5"));
  const std::string error = "!a line of more than " + std::to_string(text.size() - 2) + " bytes";
  CHECK(feed({text}, text.size() - 2) == error);
  CHECK(feed({text.substr(0, 10), text.substr(10)}, text.size() - 2) == error);
}

TEST_CASE("whoever has enough gets no more") {
  WatchStream stream;
  int heard = 0;
  const auto fed = stream.feed(added("a@5") + added("b@6"), [&](const WatchEvent&) { return ++heard < 1; });
  CHECK(fed == false);
  CHECK(heard == 1);
}

TEST_CASE("regression: what came before is not read again with each piece (kubernetes-client/c)") {
  // 8 MB in 131,072 pieces of 64 bytes. A reader that begins anew with each piece would read 500 GB.
  const std::string text =
      R"({"type":"ADDED","object":{"a":")" + std::string(std::size_t{8} << 20, 'x') + "\"}}\n";
  std::vector<std::string_view> pieces;
  for (std::string_view left = text; !left.empty();
       left.remove_prefix(std::min<std::size_t>(64, left.size())))
    pieces.push_back(left.substr(0, 64));
  CHECK(feed(pieces).size() > (std::size_t{8} << 20));
}

}  // namespace winnow::live
