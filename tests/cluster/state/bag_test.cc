// What it costs to take one of many things out, counted in comparisons and hashes and not in time.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cluster/state/nominated_pods.h"
#include "cluster/state/row_values.h"
#include "cluster/state/selector_index.h"

namespace winnow::test {
namespace {

/// A handle that counts how often it is compared or hashed.
struct Counted {
  std::uint32_t id = 0;
  static inline std::size_t steps = 0;

  friend bool operator==(const Counted& a, const Counted& b) {
    ++steps;
    return a.id == b.id;
  }
};
struct CountedHash {
  std::size_t operator()(const Counted& one) const {
    ++Counted::steps;
    return one.id;
  }
};

/// The steps that `work` takes for each of `many` things.
template <class Work>
double steps_each(std::uint32_t many, const Work& work) {
  Counted::steps = 0;
  work(many);
  return static_cast<double>(Counted::steps) / many;
}

/// Takes all things out, the oldest first: the worst order for whoever searches from the end, and the best
/// for whoever searches from the begin. Then in the other order.
template <class Add, class Remove>
void fill_and_empty(std::uint32_t many, const Add& add, const Remove& remove) {
  for (std::uint32_t i = 0; i < many; ++i) add(Counted{i});
  for (std::uint32_t i = 0; i < many; ++i) remove(Counted{i});
  for (std::uint32_t i = 0; i < many; ++i) add(Counted{i});
  for (std::uint32_t i = many; i > 0; --i) remove(Counted{i - 1});
}

const Requirement kNoPair{"app", Operator::kExists, {}};
const Requirement kOnePair{"app", Operator::kIn, {"web"}};

}  // namespace

TEST_SUITE("bag") {
  TEST_CASE("what is added is there, and what is removed is gone, few or many") {
    for (const std::uint32_t many : {3u, 31u, 32u, 33u, 34u, 200u}) {
      CAPTURE(many);
      Bag<std::uint32_t> bag;
      std::set<std::uint32_t> expected;
      // A walk that adds and removes in no simple order, and twice over.
      for (std::uint32_t i = 0; i < 4 * many; ++i) {
        const std::uint32_t thing = i * 7919 % many;
        if (expected.insert(thing).second) {
          bag.add(thing);
        } else if (i % 3 != 0) {
          bag.remove(thing);
          expected.erase(thing);
        }
        bag.remove(many + i);  // Never there.
        REQUIRE(bag.size() == expected.size());
        REQUIRE(std::set<std::uint32_t>(bag.things().begin(), bag.things().end()) == expected);
      }
      for (const std::uint32_t thing : std::set(expected)) bag.remove(thing);
      CHECK(bag.empty());
    }
  }

  TEST_CASE("to remove one of many takes no more steps than to remove one of some") {
    const auto bag = [](std::uint32_t many) {
      Bag<Counted, CountedHash> all;
      fill_and_empty(many, [&](Counted one) { all.add(one); }, [&](Counted one) { all.remove(one); });
      CHECK(all.empty());
    };
    const auto index_by = [](const Requirement& requirement) {
      return [&requirement](std::uint32_t many) {
        SelectorIndex<Counted, CountedHash> all;
        const std::vector<std::string> namespaces = {"default"};
        const Selector selector = Selector::all_of({requirement});
        fill_and_empty(
            many, [&](Counted one) { all.insert(namespaces, selector, one); },
            [&](Counted one) { all.erase(namespaces, selector, one); });
        std::size_t left = 0;
        all.visit("default", {{"app", "web"}}, [&](Counted) { ++left; });
        CHECK(left == 0);
      };
    };
    const auto waiting = [](std::uint32_t many) {
      PodsWithoutNode<Counted, CountedHash> all;
      fill_and_empty(
          many, [&](Counted one) { all.add(one, "node-" + std::to_string(one.id % 3)); },
          [&](Counted one) {
            CHECK(all.node_of(one) == "node-" + std::to_string(one.id % 3));
            all.remove(one);
            CHECK(all.node_of(one).empty());
          });
      CHECK(all.by_node().empty());
    };
    struct Row {
      const char* sentence;
      std::function<void(std::uint32_t)> work;
    };
    const Row rows[] = {
        {"things in a bag", bag},
        {"selectors that require no pair", index_by(kNoPair)},
        {"selectors that require the same pair", index_by(kOnePair)},
        {"pods whose node is unknown", waiting},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const double some = steps_each(1'000, row.work), many = steps_each(16'000, row.work);
      CHECK(many < 2 * some);  // Where each is searched for, it is 16 times as much.
      CHECK(many < 100);
    }
  }

  TEST_CASE("the pods of a node leave together when it comes") {
    PodsWithoutNode<std::uint32_t> pods;
    for (std::uint32_t pod = 0; pod < 5; ++pod) pods.add(pod, pod == 3 ? "b" : "a");
    pods.remove(1);
    std::vector<std::uint32_t> taken = pods.take("a");
    std::ranges::sort(taken);
    CHECK(taken == std::vector<std::uint32_t>{0, 2, 4});
    CHECK(pods.on("a").empty());
    CHECK(pods.node_of(0) == "");
    CHECK(pods.node_of(3) == "b");
    CHECK(pods.take("a").empty());
    pods.remove(0);
    CHECK(pods.on("b").size() == 1);
  }
}

}  // namespace winnow::test
