// Assumed pods in doubt are looked up at an API server, which is made up here. Time is the test's.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/client/servers/pod_look_up.h"
#include "extender/service/recheck.h"
#include "tests/extender/service/small_clusters.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

/// A service that has assumed pods p1, p2, … on nodes of one place, each in doubt since `start`.
struct CheckBed : AssumedLookUps {
  static constexpr AssumedPods::Time kStart{1h};

  explicit CheckBed(std::size_t pods, AssumedPods::Time start = kStart) {
    service.cache().write_pods([&](AssumedPods& assumed) {
      for (std::size_t i = 1; i <= pods; ++i) {
        const std::string name = "p" + std::to_string(i);
        Pod made = pod(name).uid("uid-" + name).cpu("1");
        made.metadata.resource_version = "5";
        assumed.set(made, start);
        assumed.assume(made, "a", start);
        assumed.doubt({"default", name, "uid-" + name, "a", start}, Doubt::kNotCounted, start);
      }
    });
  }

  AssumedCheck check() { return {service.extender().decisions(), *this}; }
  live::PodLookedUp look_up(const AssumedPods::Attempt& attempt, const std::stop_token&) override {
    asked.push_back(attempt.name);
    return answer;
  }
  std::size_t assumed() { return service.cache().read().assumed().size(); }

  RunningService service{cache_for_pods({"a"}, 99)};
  live::PodLookedUp answer{
      .found = live::PodFound::kUnbound, .node = "", .pod = Pod(), .resource_version = "9", .error = ""};
  std::vector<std::string> asked;
};

TEST_SUITE("assumed check") {
  TEST_CASE("a pod in doubt that waits gives its place back, and that is news") {
    CheckBed bed(1);
    AssumedCheck check = bed.check();
    const ChangeNotifier::Count before = bed.service.cache().news().count();
    check.look(CheckBed::kStart + 999ms, {});
    CHECK(bed.asked.empty());
    check.look(CheckBed::kStart + 1s, {});
    CHECK(bed.asked == std::vector<std::string>{"p1"});
    CHECK(bed.assumed() == 0);
    CHECK(bed.service.cache().news().count().for_others > before.for_others);
  }

  TEST_CASE("without an answer the pod stays where it is, and is asked about again") {
    CheckBed bed(1);
    bed.answer = {
        .found = live::PodFound::kUnknown, .node = "", .pod = {}, .resource_version = "", .error = "no luck"};
    AssumedCheck check = bed.check();
    for (const auto after : {1s, 2s, 3s, 6s}) check.look(CheckBed::kStart + after, {});
    CHECK(bed.asked.size() == 2);
    CHECK(bed.assumed() == 1);
  }

  TEST_CASE("a round asks about a few pods alone, and all have their turn") {
    CheckBed bed(AssumedCheck::kAtOnce + 3);
    AssumedCheck check = bed.check();
    check.look(CheckBed::kStart + 1s, {});
    CHECK(bed.asked.size() == AssumedCheck::kAtOnce);
    check.look(CheckBed::kStart + 1s, {});
    CHECK(bed.assumed() == 0);
  }

  TEST_CASE("it ends when it is asked to") {
    CheckBed bed(1, std::chrono::steady_clock::now() - AssumedPods::kBeforeLook);
    bed.answer.found = live::PodFound::kGone;
    AssumedCheck check = bed.check();
    std::jthread thread([&](const std::stop_token& stop) { check.run(stop); });
    while (bed.assumed() > 0) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace winnow::test
