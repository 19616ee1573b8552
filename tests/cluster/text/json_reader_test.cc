#include "cluster/text/json_reader.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/text/json_document.h"

namespace winnow {
namespace {

struct Box {
  std::string name = "none";
  std::int32_t small = 1;
  std::int64_t large = 2;
  bool open = false;
  std::optional<std::string> note;
  std::vector<std::string> list;
  std::map<std::string, std::int64_t, std::less<>> sizes;
};

bool read_fields(const Reader& r, Box& box) {
  return r.read("name", box.name) && r.read("small", box.small) && r.read("large", box.large) &&
         r.read("open", box.open) && r.read("note", box.note) && r.read("list", box.list) &&
         r.read("sizes", box.sizes) && r.within("inner", [&](const Reader& inner) {
           return inner.for_each_in("boxes", [](const Reader& value) {
             Box one;
             return read_value(value, one);
           });
         });
}

/// The error; empty where there is none.
std::string read(const char* json, Box& box) {
  rapidjson::Document document;
  document.Parse(json);
  REQUIRE_FALSE(document.HasParseError());
  std::string error;
  const bool is_read = read_value(Reader(document, nullptr, error), box);
  CHECK(is_read == error.empty());
  return error;
}

TEST_CASE("a number that no double holds is an error, however it is spelt, and a small one is nearly 0") {
  const std::string zeros(400, '0');
  for (const std::string& large :
       {std::string("1e309"), std::string("-1e309"), std::string("2222222222222222222.322e294"),
        std::string("1.8e308"), std::string("1E+400"), "1" + zeros, "1" + zeros + ".0",
        "0." + zeros + "1e900", std::string("1e99999999999999999999"), "100" + zeros + "e-90",
        std::string("0.00001e400")}) {
    CAPTURE(large);
    const auto read = load_document("[" + large + "]");
    REQUIRE(!read);
    CHECK(read.error().message == "a number is too large: expected one that a double holds");
  }
  const std::string small[] = {"1e-400", "-1e-400", "0." + zeros + "1", "1e-99999999999999999999",
                               "222.3e-330"};
  for (const std::string& number : small) {
    CAPTURE(number);
    const auto read = load_document("[" + number + "]");
    REQUIRE(read);
    const double real = read->root()[0].GetDouble();
    CHECK(std::abs(real) == std::numeric_limits<double>::denorm_min());
    CHECK((real < 0) == number.starts_with('-'));
  }
  for (const std::string& zero : {std::string("0.0"), std::string("-0.0"), "0e" + zeros}) {
    CAPTURE(zero);
    CHECK(load_document("[" + zero + "]").value().root()[0].GetDouble() == 0);
  }
}

TEST_CASE("a string is read wherever its escapes stand, and ends where it ends") {
  for (std::size_t before = 0; before < 20; ++before)
    for (std::size_t after = 0; after < 20; ++after) {
      CAPTURE(before);
      CAPTURE(after);
      const std::string first(before, 'a'), second(after, '\x7f');
      const auto read = load_document("[\"" + first + "\\n" + second + "\\\\\\\"\\u00e9é\",1]");
      REQUIRE(read);
      CHECK(string_of(read->root()[0]) == first + "\n" + second + "\\\"éé");
      CHECK(read->root()[1].GetInt64() == 1);
      const auto control = load_document("[\"" + first + "\x1f" + second + "\"]");
      REQUIRE(!control);
      CHECK(control.error().message == "not JSON: Invalid escape character in string.");
      CHECK(control.error().column == before + 3);
    }
}

TEST_CASE("an error tells where it is") {
  struct Row {
    const char* sentence;
    std::string text, error;
  };
  const Row rows[] = {
      {"a list that is too deep", std::string(65, '['), "line 1, column 65: nested deeper than 64 levels"},
      {"an object that is too deep", "\n" + std::string(63, '[') + R"({"a":)" + '\n' + R"( {"b":1}}])",
       "line 3, column 2: nested deeper than 64 levels"},
      {"a comma too many", "[1,\n ]", "line 2, column 2: not JSON: Invalid value."},
      {"a value that is missing", R"({"a":})", "line 1, column 6: not JSON: Invalid value."},
      {"no colon", R"({"a" 1})",
       "line 1, column 6: not JSON: Missing a colon after a name of object member."},
      {"a string that does not end", R"(["abcdefghijk)", "line 1, column 14: not JSON: the text ends early"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto read = load_document(row.text);
    REQUIRE(!read);
    CHECK(read.error().text() == row.error);
  }
}

TEST_CASE("fields are read by the types of what they are read into") {
  Box box;
  CHECK(read(R"({"name":"a","small":-3,"large":9223372036854775807,"open":true,"note":"","list":["x",null],
                 "sizes":{"a":1,"b":null,"a":3},"unknown":[{}]})",
             box)
            .empty());
  CHECK(box.name == "a");
  CHECK(box.small == -3);
  CHECK(box.large == 9223372036854775807);
  CHECK(box.open);
  CHECK(box.note == "");
  CHECK(box.list == std::vector<std::string>{"x", ""});
  CHECK(box.sizes == std::map<std::string, std::int64_t, std::less<>>{{"a", 3}, {"b", 0}});
}

TEST_CASE("what is absent or null stays as it was, and the last of equal keys counts") {
  Box box;
  CHECK(read(R"({"name":null,"inner":null,"small":5,"small":6})", box).empty());
  CHECK(box.name == "none");
  CHECK(box.small == 6);
  CHECK_FALSE(box.note);
}

TEST_CASE("an error says where, what is there and what is expected") {
  struct Row {
    const char* json;
    const char* error;
  };
  const Row rows[] = {
      {R"(5)", "5 is not an object"},
      {R"({"name":true})", "name: true is not a string"},
      {R"({"open":"x"})", R"(open: "x" is not a boolean)"},
      {R"({"small":2147483648})", "small: 2147483648 is not a 32-bit integer"},
      {R"({"large":1.5})", "large: 1.5 is not a 64-bit integer"},
      {R"({"list":{}})", "list: an object is not a list"},
      {R"({"list":["a",[]]})", "list[1]: a list is not a string"},
      {R"({"sizes":{"a.b/c":"x"}})", R"(sizes["a.b/c"]: "x" is not a 64-bit integer)"},
      {R"({"inner":{"boxes":[{},{"name":1}]}})", "inner.boxes[1].name: 1 is not a string"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    Box box;
    CHECK(read(row.json, box) == row.error);
  }
}

TEST_CASE("a long text is shown by its beginning") {
  Box box;
  const std::string text = std::string(79, 'x') + "é";
  CHECK(read(("{\"open\":\"" + text + "\"}").c_str(), box) ==
        "open: \"" + std::string(79, 'x') + "\"… is not a boolean");
}

TEST_CASE("a long key is shown by its beginning in a path") {
  const std::string longest(317, 'k');  // As long as a label's key can be.
  const std::string texts[][2] = {
      {longest, longest},
      {longest + "k", "[\"" + longest + "\"…]"},
      {std::string(100'000, '.'), "[\"" + std::string(317, '.') + "\"…]"},
      {std::string(316, 'k') + "é", "[\"" + std::string(316, 'k') + "\"…]"},
  };
  for (const auto& [key, shown] : texts) {
    const PathStep outer{nullptr, "a", std::nullopt};
    const PathStep inner{&outer, key, std::nullopt};
    CHECK(render_path(&inner) == (shown.starts_with('[') ? "a" : "a.") + shown);
  }
}

TEST_CASE("the string under a key") {
  rapidjson::Document document;
  document.Parse(R"({"a":"b","c":5})");
  CHECK(string_at(document, "a") == "b");
  CHECK(string_at(document, "c").empty());
  CHECK(string_at(document, "d").empty());
}

}  // namespace
}  // namespace winnow
