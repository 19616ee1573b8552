// Streamed lists: what the sink gets, what comes between the objects and the bookmark, and who does not
// stream.
#include "cluster/client/watch/list_stream.h"

#include <doctest/doctest.h>

#include "tests/cluster/client/watch/script.h"

namespace winnow::live {
namespace {

using Error = TransportError::Kind;

/// The steps, the requests that must follow, and the objects at the end.
struct StreamRow {
  const char* sentence;
  std::deque<Step> steps;
  const char* story;
  const char* objects;
  std::size_t waits;
};

void check_stream(const StreamRow& row, const std::vector<std::string>& servers = {"https://a"}) {
  CAPTURE(row.sentence);
  Script script(servers, kRequired, true);
  script.run(row.steps);
  CHECK(script.story() == row.story);
  CHECK(script.objects() == row.objects);
  CHECK(script.clock.waits.size() == row.waits);
  CHECK(script.sink.violations == std::vector<std::string>());
}

}  // namespace

TEST_CASE("a list is streamed where the server streams") {
  const StreamRow rows[] = {
      {"the objects, the bookmark, then a watch from there",
       {stream({added("a@1") + added("b@2"), added("c@3") + list_end("5")}), stream({added("d@6")})},
       "stream, watch from 5",
       "a@1 b@2 c@3 d@6",
       0},
      {"no object", {stream({list_end("5")}), stream({added("a@6")})}, "stream, watch from 5", "a@6", 0},
      {"another bookmark ends nothing",
       {stream({added("a@1"), bookmark("4"), added("b@2"), list_end("5")}), stream({})},
       "stream, watch from 5",
       "a@1 b@2",
       0},
      {"what comes behind the bookmark comes again from the watch",
       {stream({added("a@1") + list_end("5") + added("b@6")}), stream({added("b@6")})},
       "stream, watch from 5",
       "a@1 b@6",
       0},
      {"changes before the bookmark, in order",
       {stream({added("a@1") + added("b@2"), modified("a@6"), deleted("b@7"), added("c@8"), deleted("c@9"),
                added("b@10"), list_end("12")}),
        stream({})},
       "stream, watch from 12",
       "a@6 b@10",
       0},
      {"a later list is as new as what is known, and drops what is gone",
       {stream({added("a@1") + added("b@2") + list_end("5")}), stream({error(410, "Expired")}),
        stream({added("b@2") + list_end("9")}), stream({})},
       "stream, watch from 5, stream from 5, watch from 9",
       "b@2",
       1},
  };
  for (const StreamRow& row : rows) check_stream(row);
}

TEST_CASE("a server that does not stream is asked for pages, and not for a stream again") {
  const StreamRow rows[] = {
      {"it refuses the parameter",
       {says(422, "Invalid", "sendInitialEvents: Forbidden"), page("5", {"a@1"}),
        stream({error(410, "Expired")}), page("7", {"b@7"}), stream({})},
       "stream, list, watch from 5, list from 5, watch from 7",
       "b@7",
       1},
      {"an old one does not know it at all, and watches",
       {breaks(stream({added("a@1"), bookmark("5")}), Error::kTimeout), page("6", {"a@1"}), stream({})},
       "stream, list, watch from 6",
       "a@1",
       1},
      {"it ends without the bookmark",
       {stream({added("a@1")}), page("6", {"b@2"}), stream({})},
       "stream, list, watch from 6",
       "b@2",
       1},
      {"the right to watch is missing: the list says what is denied, and the next one is a stream",
       {says(403, "Forbidden"), page("5", {"a@1"}), stream({error(410, "Expired")}),
        stream({added("a@1") + list_end("9")}), stream({})},
       "stream, list, watch from 5, stream from 5, watch from 9",
       "a@1",
       1},
  };
  for (const StreamRow& row : rows) check_stream(row);
}

TEST_CASE("a stream that fails is begun anew") {
  const StreamRow rows[] = {
      {"it breaks: nothing of it is seen",
       {stream({added("a@1") + list_end("5")}), stream({error(410, "Expired")}),
        breaks(stream({added("b@7")})), stream({added("c@8") + list_end("9")}), stream({})},
       "stream, watch from 5, stream from 5, stream from 5, watch from 9",
       "c@8",
       2},
      {"the server is behind",
       {stream({added("a@1") + list_end("5")}), stream({error(410, "Expired")}),
        stream({added("b@3") + list_end("4")}), stream({added("c@8") + list_end("9")}), stream({})},
       "stream, watch from 5, stream from 5, stream from 5, watch from 9",
       "c@8",
       2},
      {"an ERROR event",
       {stream({added("a@1"), error(500, "InternalError")}), stream({added("b@2") + list_end("5")}),
        stream({})},
       "stream, stream, watch from 5",
       "b@2",
       1},
      {"changes that come out of order",
       {stream({added("a@1"), modified("a@7"), modified("a@6"), list_end("9")}),
        stream({added("a@7") + list_end("9")}), stream({})},
       "stream, stream, watch from 9",
       "a@7",
       1},
      {"a bookmark that is older than an object",
       {stream({added("a@9"), list_end("5")}), stream({added("a@9") + list_end("9")}), stream({})},
       "stream, stream, watch from 9",
       "a@9",
       1},
      {"something that is no event",
       {stream({"<html>\n"}), stream({added("a@1") + list_end("5")}), stream({})},
       "stream, stream, watch from 5",
       "a@1",
       1},
  };
  for (const StreamRow& row : rows) check_stream(row);
}

TEST_CASE("each server is asked for itself whether it streams") {
  Script script({"https://a", "https://b"}, kRequired, true);
  script.run({says(422, "Invalid"), page("5", {"a@1"}), stream({}), breaks(stream({}), Error::kUnreachable),
              stream({error(410, "Expired")}), stream({added("a@6") + list_end("7")}), stream({})});
  CHECK(script.objects() == "a@6");
  std::vector<std::string> refused;
  for (const Script::Asked& one : script.asked)
    if (one.what.starts_with("stream")) refused.push_back(one.server);
  REQUIRE(refused.size() == 2);
  CHECK(refused[0] != refused[1]);
}

}  // namespace winnow::live
