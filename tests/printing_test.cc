#include "tests/printing.h"

#include <cstddef>
#include <string>

namespace winnow::test {
namespace {

template <typename T>
std::string printed(const T& value) {
  return doctest::toString(value).c_str();
}

}  // namespace

TEST_CASE("a failed check prints what its values hold") {
  using Strings = std::vector<std::string>;
  const char* text = "text";
  CHECK(printed(text) == "\"text\"");
  CHECK(printed(std::string_view("view")) == "view");
  CHECK(printed(Strings{}) == "{}");
  CHECK(printed(Strings{"a", "b"}) == "{a, b}");
  CHECK(printed(std::vector{true, false}) == "{true, false}");
  CHECK(printed(std::set{1, 2}) == "{1, 2}");
  CHECK(printed(std::map<std::string, int>{{"a", 1}}) == "{a: 1}");
  CHECK(printed(std::optional<Strings>()) == "nothing");
  CHECK(printed(std::optional(Strings{"a"})) == "{a}");
  CHECK(printed(std::expected<int, std::string>(std::unexpected("no"))) == "error: no");
  CHECK(printed(std::expected<int, std::string>(7)) == "7");
  CHECK(printed(std::expected<void, std::string>()) == "done");
  CHECK(printed(std::chrono::milliseconds(1500)) == "1.5 s");
}

}  // namespace winnow::test
