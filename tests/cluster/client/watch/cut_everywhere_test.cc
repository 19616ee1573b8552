// A watch that is cut at each of its bytes.
#include <doctest/doctest.h>

#include <string>

#include "cluster/client/watch/watcher.h"
#include "tests/cluster/client/watch/script.h"
#include "tests/part.h"

namespace winnow::live {
namespace {

using winnow::test::kPart;  // The time grows with the square of the length.

/// Events of a few pods. Each has about 145 bytes and `more`.
std::vector<std::string> events(int count, int more) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    const std::string object =
        "p" + std::to_string(i % 7) + "@" + std::to_string(100 + i) + "+" + std::to_string(more);
    lines.push_back(i % 11 == 10  ? bookmark(std::to_string(100 + i))
                    : i % 14 < 7  ? (i < 7 ? added(object) : modified(object))
                    : i % 14 == 9 ? deleted(object)
                                  : modified(object));
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// The events that the pieces hold, in short.
std::size_t hash_of(WatchStream& stream, std::string_view piece, std::size_t hash) {
  const auto fed = stream.feed(piece, [&](const WatchEvent& event) {
    hash = hash * 31 + std::hash<std::string_view>()(event.object) + event.type_name.size();
    return true;
  });
  return fed ? hash : 0;
}

}  // namespace

TEST_CASE("a stream that comes in two pieces is the same wherever it is cut") {
  const std::string text = joined(events(60 / kPart, 920));
  CHECK(text.size() > 57'000 / kPart);
  CHECK(text.size() <= 65'536);
  WatchStream whole;
  const std::size_t expected = hash_of(whole, text, 1);
  std::size_t wrong = 0;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    WatchStream stream;
    const std::string_view view = text;
    if (hash_of(stream, view.substr(cut), hash_of(stream, view.substr(0, cut), 1)) != expected) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a connection that ends at any byte leaves nothing out and brings nothing twice") {
  const std::vector<std::string> lines = events(40 / kPart, 1440);
  const std::string text = joined(lines);
  CHECK(text.size() > 57'000 / kPart);
  CHECK(text.size() <= 65'536);
  Script uncut;
  uncut.run({page("5", {"p0@1", "p9@2"}), stream({text}), stream({})});
  std::size_t wrong = 0;
  // The number of whole lines before the cut, and the offset of the next line.
  std::size_t whole = 0, begins = 0;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    while (whole < lines.size() && begins + lines[whole].size() <= cut) begins += lines[whole++].size();
    Script script;
    script.run(
        {page("5", {"p0@1", "p9@2"}), breaks(stream({text.substr(0, cut)})), stream({text.substr(begins)})});
    const std::string from = whole == 0 ? "5" : std::to_string(99 + whole);
    if (script.sink.objects != uncut.sink.objects || script.asked.back().what != "watch from " + from ||
        !script.sink.violations.empty())
      ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace winnow::live
