#include <doctest/doctest.h>

#include <map>
#include <string>

#include "cluster/state/dictionaries.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/failing_memory.h"

namespace winnow::test {
namespace {

using Texts = Pool<std::string, TextHash>;

TEST_CASE("a pool has each value as long as a reference to it is held") {
  Draws draws(1);
  Texts pool;
  std::map<std::string, std::pair<Texts::Id, int>> model;
  for (int i = 0; i < 20'000; ++i) {
    const bool grows = i / 2000 % 2 == 0;
    const std::string text = std::to_string(draws.below(300));
    const auto known = model.find(text);
    if (draws.one_in(4) != grows) {
      const Texts::Id id = pool.acquire(text);
      if (known == model.end()) {
        bool is_new = true;
        for (const auto& [other, entry] : model) is_new = is_new && entry.first != id;
        REQUIRE(is_new);
        model[text] = {id, 1};
      } else {
        REQUIRE(id == known->second.first);
        pool.hold(id);
        pool.release(id);
        ++known->second.second;
      }
    } else if (known != model.end()) {
      const bool is_last = --known->second.second == 0;
      REQUIRE(pool.release(known->second.first) == is_last);
      if (is_last) model.erase(known);
    }
    REQUIRE(pool.size() == model.size());
    REQUIRE(pool.find(text) == (model.contains(text) ? model.at(text).first : kNone));
  }
  for (const auto& [text, entry] : model) {
    REQUIRE(entry.first < pool.capacity());
    CHECK(pool[entry.first] == text);
  }
}

TEST_CASE("a pool gives up what a crowd of values took") {
  Texts pool;
  const Texts::Id first = pool.acquire(std::string("first"));
  const std::int64_t before = live_bytes();
  for (int round = 0; round < 3; ++round) {
    const auto text = [&](int i) { return std::to_string(round) + " of a crowd " + std::to_string(i); };
    for (int i = 0; i < 10'000; ++i) pool.acquire(text(i));
    CHECK(live_bytes() - before > 500'000);
    // One that stays holds its slot alone: the next value takes a low one.
    for (int i = 0; i < 10'000; ++i)
      if (i != 9'999) pool.release(pool.find(text(i)));
    CHECK(pool.acquire(std::string("next")) < 3);
    pool.release(pool.find(text(9'999)));
    pool.release(pool.find(std::string("next")));
    CHECK(pool.capacity() == 1);
    CHECK(live_bytes() - before < 60'000);
  }
  CHECK(pool.find(std::string("first")) == first);
}

}  // namespace
}  // namespace winnow::test
