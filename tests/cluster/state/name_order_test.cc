#include "cluster/state/name_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace winnow {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  sort_by_name(names, [](const std::string& name) -> std::string_view { return name; });
  return names;
}

TEST_SUITE("name order") {
  TEST_CASE("names that begin alike, in any order") {
    CHECK(sorted({}).empty());
    CHECK(sorted({"b", "a"}) == std::vector<std::string>{"a", "b"});
    CHECK(sorted({"node-10", "node-1", "node-9", "node-"}) ==
          std::vector<std::string>{"node-", "node-1", "node-10", "node-9"});
    CHECK(
        sorted({"same-beginning-2", "same-beginning-10000000b", "same-beginning-10000000a"}) ==
        std::vector<std::string>{"same-beginning-10000000a", "same-beginning-10000000b", "same-beginning-2"});
  }

  TEST_CASE("bytes count as they are: the highest bit is no sign") {
    CHECK(sorted({"x\xc3\xa9", "xz", "x"}) == std::vector<std::string>{"x", "xz", "x\xc3\xa9"});
  }

  TEST_CASE("as by whole names, where they differ late or early, or one is the other's beginning") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::string> names;
      const std::string beginning(random() % 12, 'n');
      for (int i = 0; i < 40; ++i) {
        std::string name = beginning;
        for (std::size_t size = random() % 12; size > 0; --size)
          name += static_cast<char>('a' + random() % 2);
        names.push_back(std::move(name));
      }
      std::ranges::sort(names);
      names.erase(std::ranges::unique(names).begin(), names.end());
      const std::vector<std::string> wanted = names;
      std::ranges::shuffle(names, random);
      CHECK(sorted(std::move(names)) == wanted);
    }
  }

  TEST_CASE("groups come first") {
    using Item = std::pair<std::uint32_t, std::string>;
    std::vector<Item> items{{1, "a"}, {0, "z"}, {1, "Z"}, {0, "b"}};
    sort_by_name(
        items, [](const Item& item) { return item.first; },
        [](const Item& item) { return std::string_view(item.second); });
    CHECK(items == std::vector<Item>{{0, "b"}, {0, "z"}, {1, "Z"}, {1, "a"}});
  }
}

}  // namespace
}  // namespace winnow
