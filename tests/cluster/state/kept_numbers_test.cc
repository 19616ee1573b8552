// Numbers by row are known until their row changes, and few are kept.
#include "cluster/state/kept_numbers.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace winnow::test {

TEST_CASE("a number is known until its row changes") {
  RowChanges changes;
  changes.begin();
  KeptNumbers kept;
  const std::shared_ptr<NumbersByRow> numbers = kept.find("a", changes, 10);
  CHECK((*numbers)[3].note == 0);
  numbers->put(3, {.value = 1.5, .note = 7});
  numbers->put(4, {.value = 2.5, .note = 1});
  CHECK((*kept.find("a", changes, 10))[3].value == 1.5);
  CHECK((*kept.find("a", changes, 10))[3].note == 7);
  CHECK((*kept.find("b", changes, 10))[3].note == 0);
  changes.note(3);
  CHECK((*kept.find("a", changes, 10))[3].note == 0);
  CHECK((*kept.find("a", changes, 10))[4].note == 1);
}

TEST_CASE("more changes than are noted, and more rows, forget all numbers") {
  RowChanges changes;
  changes.begin();
  KeptNumbers kept;
  kept.find("a", changes, 10)->put(4, {.value = 2.5, .note = 1});
  SUBCASE("changes") {
    for (std::size_t i = 0; i <= RowChanges::kKept; ++i) changes.note(3);
    CHECK((*kept.find("a", changes, 10))[4].note == 0);
  }
  SUBCASE("rows") {
    changes.note(99);
    CHECK((*kept.find("a", changes, 100))[4].note == 0);
    CHECK((*kept.find("a", changes, 100))[99].note == 0);
  }
  SUBCASE("changes that nobody notes") {
    RowChanges unnoted;
    KeptNumbers other;
    other.find("a", unnoted, 10)->put(4, {.value = 2.5, .note = 1});
    CHECK((*other.find("a", unnoted, 10))[4].note == 0);
  }
}

TEST_CASE("one that was not asked for lately makes room") {
  RowChanges changes;
  changes.begin();
  KeptNumbers kept;
  kept.find("first", changes, 10)->put(0, {.value = 1, .note = 1});
  kept.find("second", changes, 10)->put(0, {.value = 1, .note = 1});
  for (std::size_t i = 2; i < KeptNumbers::kMost; ++i) REQUIRE(kept.find(std::to_string(i), changes, 10));
  CHECK(kept.find("one more", changes, 10) == nullptr);  // All are in use.
  for (std::size_t i = 0; i <= KeptNumbers::kInUse; ++i) kept.find("first", changes, 10);
  CHECK(kept.find("one more", changes, 10));
  CHECK((*kept.find("first", changes, 10))[0].note == 1);
  CHECK((*kept.find("second", changes, 10))[0].note == 0);
}

}  // namespace winnow::test
