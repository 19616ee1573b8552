// The pods that were refused, at times of the test's.
#include "extender/service/scheduling/unschedulable_records.h"

#include <doctest/doctest.h>

namespace winnow::test::unschedulable_records_test {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

constexpr UnschedulableRecord::Time kStart{1h};

UnschedulableRecord refused(const std::string& name, UnschedulableRecord::Time time = kStart) {
  UnschedulableRecord made;
  made.ns = "default";
  made.name = name;
  made.uid = "a pod's uid that is too long to be stored in place: " + name;
  made.refused = time;
  return made;
}
std::string uid(const std::string& name) { return refused(name).uid; }

Names next(UnschedulableRecords& refusals, std::size_t count) {
  Names names;
  for (const UnschedulableRecord& one : refusals.next(count)) names.push_back(one.name);
  return names;
}

}  // namespace

TEST_SUITE("refusals") {
  TEST_CASE("a pod is there until it is forgotten, and its refusals in a row are counted") {
    UnschedulableRecords refusals;
    CHECK_FALSE(refusals.find(uid("p")));
    refusals.forget(uid("p"));
    refusals.refused(refused("p"));
    refusals.refused(refused("q"));
    CHECK(refusals.size() == 2);
    CHECK(refusals.find(uid("p"))->times == 1);
    for (int i = 0; i < 3; ++i) refusals.refused(refused("p", kStart + 1s));
    CHECK(refusals.size() == 2);
    CHECK(refusals.find(uid("p"))->times == 4);
    CHECK(refusals.find(uid("p"))->refused == kStart + 1s);
    CHECK(refusals.find(uid("q"))->times == 1);
    refusals.forget(uid("p"));
    CHECK_FALSE(refusals.find(uid("p")));
    CHECK(refusals.size() == 1);
    refusals.refused(refused("p"));
    CHECK(refusals.find(uid("p"))->times == 1);
  }

  TEST_CASE("they are handed out in turn") {
    UnschedulableRecords refusals;
    CHECK(next(refusals, 3).empty());
    for (const char* name : {"a", "b", "c"}) refusals.refused(refused(name));
    CHECK(next(refusals, 0).empty());
    CHECK(next(refusals, 2) == Names{"a", "b"});
    CHECK(next(refusals, 2) == Names{"c", "a"});
    CHECK(next(refusals, 9) == Names{"b", "c", "a"});  // Each once.
    refusals.refused(refused("b"));                    // It comes last now.
    CHECK(next(refusals, 9) == Names{"c", "a", "b"});
    refusals.forget(uid("a"));
    CHECK(next(refusals, 9) == Names{"c", "b"});
  }

  TEST_CASE("the last of them are held, and no more") {
    UnschedulableRecords refusals;
    for (std::size_t i = 0; i < UnschedulableRecords::kPods; ++i)
      refusals.refused(refused(std::to_string(i)));
    CHECK(refusals.size() == UnschedulableRecords::kPods);
    refusals.refused(refused("0"));  // Which makes it the latest.
    refusals.refused(refused("more"));
    CHECK(refusals.size() == UnschedulableRecords::kPods);
    CHECK(refusals.find(uid("0"))->times == 2);
    CHECK(refusals.find(uid("more")));
    CHECK_FALSE(refusals.find(uid("1")));
    CHECK(refusals.find(uid("2")));
  }

  TEST_CASE("a pod is to be woken once it has fitted for a while, and after the back-off of its attempts") {
    struct Row {
      int refusals;
      UnschedulableRecord::Time::duration back_off;
    };
    for (const auto& [times, back_off] :
         {Row{1, 1s}, Row{2, 2s}, Row{3, 4s}, Row{4, 8s}, Row{5, 10s}, Row{70, 10s}}) {
      CAPTURE(times);
      UnschedulableRecords refusals;
      for (int i = 0; i < times; ++i) refusals.refused(refused("p"));
      CHECK_FALSE(refusals.to_wake(refused("p"), kStart + 1h, 1s));
      CHECK_FALSE(refusals.has_any_to_wake());
      refusals.looked(refused("p"), "n1", kStart, 1h);
      CHECK(refusals.has_any_to_wake());
      CHECK_FALSE(refusals.to_wake(refused("p"), kStart + back_off - 1ms, 500ms));
      CHECK_FALSE(refusals.to_wake(refused("p"), kStart + back_off, back_off + 1ms));
      CHECK(refusals.to_wake(refused("p"), kStart + back_off, 500ms)->node == "n1");
      CHECK_FALSE(refusals.to_wake(refused("p"), kStart + 1h, 500ms));
      CHECK_FALSE(refusals.has_any_to_wake());
    }
  }

  TEST_CASE("a pod that would fit is told of once, when it has for long enough") {
    UnschedulableRecords refusals;
    refusals.refused(refused("p"));
    const UnschedulableRecord& p = refused("p");
    CHECK_FALSE(refusals.looked(p, std::nullopt, kStart + 1s, 10s));
    CHECK(refusals.would_fit(kStart + 1s, 0s) == 0);
    CHECK_FALSE(refusals.looked(p, "n1", kStart + 2s, 10s));
    CHECK(refusals.find(uid("p"))->would_fit == kStart + 2s);
    CHECK(refusals.find(uid("p"))->node == "n1");
    CHECK(refusals.would_fit(kStart + 2s, 0s) == 1);
    CHECK(refusals.would_fit(kStart + 2s, 1s) == 0);
    CHECK(refusals.would_fit(kStart + 3s, 1s) == 1);
    CHECK_FALSE(refusals.looked(p, "n2", kStart + 11s, 10s));
    CHECK(refusals.told_count() == 0);
    SUBCASE("which it has") {
      const auto told = refusals.looked(p, "n2", kStart + 12s, 10s);
      REQUIRE(told);
      CHECK(told->name == "p");
      CHECK(told->node == "n2");
      CHECK(told->would_fit == kStart + 2s);
      CHECK_FALSE(refusals.looked(p, "n2", kStart + 60s, 10s));
      CHECK(refusals.told_count() == 1);
      SUBCASE("and once more when it was refused again") {
        refusals.refused(refused("p", kStart + 61s));
        CHECK(refusals.would_fit(kStart + 62s, 0s) == 0);
        const UnschedulableRecord again = refused("p", kStart + 61s);
        CHECK_FALSE(refusals.looked(again, "n1", kStart + 62s, 10s));
        CHECK(refusals.looked(again, "n1", kStart + 72s, 10s));
        CHECK(refusals.told_count() == 2);
      }
    }
    SUBCASE("which it has not: it did not fit in between") {
      CHECK_FALSE(refusals.looked(p, std::nullopt, kStart + 11s, 10s));
      CHECK(refusals.would_fit(kStart + 11s, 0s) == 0);
      CHECK(refusals.find(uid("p"))->node.empty());
      CHECK_FALSE(refusals.looked(p, "n2", kStart + 12s, 10s));
      CHECK_FALSE(refusals.looked(p, "n2", kStart + 21s, 10s));
      CHECK(refusals.looked(p, "n2", kStart + 22s, 10s));
    }
    SUBCASE("which it has: patience may be none") { CHECK(refusals.looked(p, "n2", kStart + 11s, 0s)); }
  }

  TEST_CASE("what a look has found of a refusal that is no longer the last one says nothing") {
    UnschedulableRecords refusals;
    refusals.refused(refused("p"));
    const UnschedulableRecord looked_at = *refusals.find(uid("p"));
    SUBCASE("the pod was refused again") { refusals.refused(refused("p", kStart + 1s)); }
    SUBCASE("it was given a node") { refusals.forget(uid("p")); }
    CHECK_FALSE(refusals.looked(looked_at, "n1", kStart + 2s, 0s));
    CHECK(refusals.would_fit(kStart + 2s, 0s) == 0);
    CHECK(refusals.told_count() == 0);
  }

  TEST_CASE("a look that finds nobody waiting forgets the refusal that it was a look at, and no later one") {
    UnschedulableRecords refusals;
    refusals.refused(refused("p"));
    const UnschedulableRecord looked_at = *refusals.find(uid("p"));
    SUBCASE("the last one") {
      refusals.forget(looked_at);
      CHECK(refusals.size() == 0);
      refusals.forget(looked_at);
    }
    SUBCASE("the pod was refused again") {
      refusals.refused(refused("p", kStart + 1s));
      refusals.forget(looked_at);
      CHECK(refusals.find(uid("p"))->times == 2);
    }
  }
}

}  // namespace winnow::test::unschedulable_records_test
