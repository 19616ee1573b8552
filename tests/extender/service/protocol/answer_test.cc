#include "extender/service/protocol/answer.h"

#include <doctest/doctest.h>

namespace winnow {
namespace {

/// The answer about the names in `body`, which are found by the quotes around them.
std::string answer(const std::string& body, const std::vector<std::uint8_t>& fits, FilterAnswer::Form form) {
  std::vector<std::string_view> asked;
  for (std::size_t at = body.find('"'); at != std::string::npos; at = body.find('"', at)) {
    const std::size_t end = body.find('"', at + 1) + 1;
    asked.push_back(std::string_view(body).substr(at, end - at));
    at = end;
  }
  std::string out;
  FilterAnswer filter(out, form);
  filter.feasible(asked, fits);
  filter.begin_failed();
  filter.begin_unresolvable();
  filter.finish();
  return out.substr(0, out.find(",\"FailedNodes\""));
}

TEST_CASE("the nodes that fit are copied as they stood") {
  struct Row {
    const char* sentence;
    std::string body;
    std::vector<std::uint8_t> fits;
    std::string list;
  };
  const Row rows[] = {
      {"none", R"("a","b")", {0, 0}, "[]"},
      {"nobody asked", "", {}, "[]"},
      {"all, in one run", R"("a","b","c")", {1, 1, 1}, R"(["a","b","c"])"},
      {"a run in the middle", R"("a","b","c","d")", {0, 1, 1, 0}, R"(["b","c"])"},
      {"two runs", R"("a","b","c","d","e")", {1, 1, 0, 1, 1}, R"(["a","b","d","e"])"},
      {"the first and the last", R"("a","b","c")", {1, 0, 1}, R"(["a","c"])"},
      {"what stands between them is not copied", "\"a\" , \"b\",\n\"c\"", {1, 1, 1}, R"(["a","b","c"])"},
      {"a repetition that was left out breaks a run", R"("a",/left/,"b")", {1, 1}, R"(["a","b"])"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(answer(row.body, row.fits, FilterAnswer::Form::kNames) ==
          R"({"Nodes":null,"NodeNames":)" + row.list);
    CHECK(answer(row.body, row.fits, FilterAnswer::Form::kNodes) ==
          R"({"Nodes":{"metadata":{},"items":)" + row.list + R"(},"NodeNames":null)");
  }
}

TEST_CASE("every key is there, and the maps come in order") {
  std::string out;
  FilterAnswer filter(out, FilterAnswer::Form::kNames);
  filter.feasible({}, {});
  filter.begin_failed();
  filter.failed(R"("a")", R"("x")");
  filter.failed(R"("b")", R"("y, z")");
  filter.begin_unresolvable();
  filter.failed(R"("c")", R"("w")");
  filter.finish();
  CHECK(out == R"({"Nodes":null,"NodeNames":[],"FailedNodes":{"a":"x","b":"y, z"},)"
               R"("FailedAndUnresolvableNodes":{"c":"w"},"Error":""})");
}

TEST_CASE("an error has no nodes, no percent signs, and is quoted") {
  std::string out;
  append_filter_error(out, "100% of \"a\"\nis %s broken%");
  CHECK(out == R"({"Nodes":null,"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":null,)"
               R"("Error":"100 of \"a\" is s broken"})");
}

TEST_CASE("scores are integers, in the order of the names") {
  std::string out;
  append_priorities(out, {}, {});
  CHECK(out == "[]");
  out.clear();
  const std::vector<std::string_view> names = {R"("b")", R"("a")", R"("c")"};
  const std::vector<std::int64_t> scores = {0, 10, INT64_MIN};
  append_priorities(out, names, scores);
  CHECK(out ==
        R"([{"Host":"b","Score":0},{"Host":"a","Score":10},{"Host":"c","Score":-9223372036854775808}])");
}

}  // namespace
}  // namespace winnow
