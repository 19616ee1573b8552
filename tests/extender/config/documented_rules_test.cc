// docs/rules.md has each rule that a configuration can name.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "predicates/table.h"
#include "predicates/today/table.h"
#include "priorities/table.h"
#include "priorities/today/table.h"

namespace winnow::test {
namespace {

TEST_CASE("docs/rules.md has each rule") {
  std::ifstream file(std::string(WINNOW_ROOT) + "/docs/rules.md", std::ios::binary);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const auto check = [&](const auto& rows) {
    for (const auto& row : rows) {
      CAPTURE(row.name);
      CHECK(document.contains(row.name));
    }
  };
  check(predicates::classic());
  check(priorities::classic());
  check(predicates::today::plugins());
  check(priorities::today::plugins());
}

}  // namespace
}  // namespace winnow::test
