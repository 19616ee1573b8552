// Nodes that Winnow refuses for pods that kube-scheduler does not count: its own filters have the say.
#include "extender/service/scheduling/scheduler_filters.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "cluster/api/device.h"
#include "tests/devices.h"
#include "tests/extender/service/small_clusters.h"

namespace winnow::test {
namespace {

const std::vector<std::string> kKept = {"NodeResourcesFit", "NodePorts"};

/// One node with room for some pods, on which p1 is assumed.
struct FilterBed {
  explicit FilterBed(int room = 1, std::vector<std::string> filters = kKept,
                     RuleSet rules = todays_rule_set(), AnswerMode answer = AnswerMode::kBest)
      : service(cache_for_pods({"a"}, room, kTodaysOptions), std::move(rules), options(filters, answer)) {
    assume(with("p1"));
  }

  static ExtenderOptions options(const std::vector<std::string>& filters, AnswerMode answer) {
    ExtenderOptions options{.answer = answer};
    options.scheduler_filters = filters;
    options.assume = true;
    return options;
  }
  static PodBuilder with(const std::string& name) { return pod(name).uid("uid-" + name).cpu("1"); }

  void assume(Pod made) {
    made.metadata.resource_version = "5";
    change([&](AssumedPods& pods) {
      pods.set(made, std::chrono::steady_clock::now());
      pods.assume(made, "a", std::chrono::steady_clock::now());
    });
  }
  void change(const std::function<void(AssumedPods&)>& change) { service.cache().write_pods(change); }
  /// Whether another pod, asked about node a, is given it.
  bool fits(const std::string& pod = pod_json("p9")) {
    return read_filter(service.post("/filter", args_with_names({"a"}, pod)).body).fit == Names{"a"};
  }
  std::vector<std::string> doubted() {
    std::vector<std::string> names;
    const ClusterCache::ReadGuard reader = service.cache().read();
    for (const AssumedPods::Entry& entry : reader.assumed().entries())
      if (entry.doubt == Doubt::kNotCounted) names.push_back(entry.name);
    return names;
  }

  RunningService service;
};

std::string wants(const std::string& cpu) {
  std::string pod = pod_json("p9");
  return pod.replace(pod.find(R"("cpu":"1")"), 9, R"("cpu":")" + cpu + '"');
}

TEST_SUITE("scheduler filters") {
  TEST_CASE("a node is given that is full by assumed pods alone, for kube-scheduler knows it has room") {
    struct Row {
      const char* sentence;
      int room;
      std::vector<std::string> filters;
      bool classic;
      AnswerMode answer;
      std::string pod;
      bool fits;
      std::vector<std::string> doubted;
    };
    constexpr AnswerMode kBest = AnswerMode::kBest;
    const std::string p9 = pod_json("p9");
    const Row rows[] = {
        {"it is full by one", 1, kKept, false, kBest, p9, true, {"p1"}},
        {"filter leaves one node", 1, kKept, false, AnswerMode::kOne, p9, true, {"p1"}},
        {"kube-scheduler's filters are not known", 1, {}, false, kBest, p9, false, {}},
        {"it does not run NodeResourcesFit", 1, {"NodePorts"}, false, kBest, p9, false, {}},
        {"by a predicate that checks what both do", 1, kKept, true, kBest, p9, true, {"p1"}},
        {"by one that checks more", 1, {"NodeResourcesFit"}, true, kBest, p9, false, {}},
        {"it has no room without them either", 1, kKept, false, kBest, wants("2"), false, {}},
        {"it has room with them", 2, kKept, false, kBest, p9, true, {}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      FilterBed bed(row.room, row.filters, row.classic ? default_rule_set() : todays_rule_set(), row.answer);
      CHECK(bed.fits(row.pod) == row.fits);
      CHECK(bed.doubted() == row.doubted);
      CHECK(bed.service.cache().read().assumed().find("default", "p1") != nullptr);
    }
  }

  TEST_CASE("pods that kube-scheduler counts for certain, or waits for, keep their place") {
    SUBCASE("an API server has bound it") {
      FilterBed bed;
      bed.change([](AssumedPods& pods) { pods.set_bound("default", "p1", "uid-p1", "a"); });
      CHECK_FALSE(bed.fits());
    }
    SUBCASE("the watch shows it there") {
      FilterBed bed;
      bed.change([](AssumedPods& pods) {
        pods.set(FilterBed::with("p1").on("a"), std::chrono::steady_clock::now());
      });
      CHECK_FALSE(bed.fits());
    }
    SUBCASE("Winnow has nominated it") {
      FilterBed bed;
      bed.change([](AssumedPods& pods) {
        const auto now = std::chrono::steady_clock::now();
        pods.release("default", "p1", "uid-p1", AssumedOutcome::kUnscheduled);
        pods.assume_nominated("default", "p1", "uid-p1", "a", {}, now);
      });
      CHECK_FALSE(bed.fits());
    }
  }

  TEST_CASE("rules that kube-scheduler leaves to Winnow count them as before") {
    FilterBed bed;
    bed.assume(FilterBed::with("p1").label("app", "x"));
    std::string pod = pod_json("p9");
    pod.insert(pod.find("\"containers\""),
               R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
               R"({"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"x"}}}]}},)");
    bed.service.cache().write([](State& state) {
      Node labelled = node_for_pods("a");
      labelled.metadata.labels["kubernetes.io/hostname"] = "a";
      state.set_node(labelled);
    });
    CHECK_FALSE(bed.fits(pod));
    CHECK(bed.doubted().empty());
  }

  TEST_CASE("what a pod is given has its devices at once, and kube-scheduler's word about them counts") {
    const auto asks = [](const std::string& name, const Names& nodes, const std::string& claim) {
      std::string pod = pod_json(name);
      pod.insert(pod.find("\"containers\""),
                 R"("resourceClaims":[{"name":"gpu","resourceClaimName":")" + claim + R"("}],)");
      return args_with_names(nodes, pod);
    };
    FilterBed bed(8, {}, todays_rule_set(), AnswerMode::kBest);
    bed.service.cache().write([](State& state) {
      state.set_node(node_for_pods("b", 4));  // Fuller than a by one more pod: a comes first.
      state.devices.set(gpus_of("a", 1));
      state.devices.set(gpus_of("b", 1));
      state.objects.of<DeviceClass>().emplace("gpu", DeviceClass{.metadata = {.name = "gpu"}});
      for (const std::string claim : {"one", "two", "three"}) state.devices.set(simple_claim(claim));
    });
    const auto given = [&](const std::string& name, const Names& nodes, const std::string& claim) {
      return read_filter(bed.service.post("/filter", asks(name, nodes, claim)).body).fit;
    };
    CHECK(given("p2", {"a", "b"}, "one") == Names{"a"});
    CHECK(bed.service.cache().read()->devices.holders("d", "a", "gpu-0").size() == 1);
    CHECK(given("p3", {"a", "b"}, "two") == Names{"b"});
    // kube-scheduler's own filter has let b through: what p3 has there is another device, or none.
    CHECK(given("p4", {"b"}, "three") == Names{"b"});
    CHECK(bed.doubted() == std::vector<std::string>{"p3"});
    // The attempt has failed: its device is free again.
    CHECK(given("p2", {"a"}, "one") == Names{"a"});
    bed.change(
        [](AssumedPods& pods) { pods.release("default", "p2", "uid-p2", AssumedOutcome::kUnscheduled); });
    CHECK(bed.service.cache().read()->devices.holders("d", "a", "gpu-0").empty());
  }

  TEST_CASE("which of several is not counted") {
    SUBCASE("the one that is in the way by itself") {
      FilterBed bed(4);
      bed.assume(FilterBed::with("p2").cpu("3"));
      CHECK(bed.fits(wants("2")));
      CHECK(bed.doubted() == std::vector<std::string>{"p2"});
    }
    SUBCASE("each may be, where none is in the way by itself; one that may wait for a volume is not told") {
      FilterBed bed(3);
      bed.assume(FilterBed::with("p2"));
      Pod slow = FilterBed::with("p3");
      slow.spec.volumes.push_back(
          {.name = "data", .source = VolumeSource::kPersistentVolumeClaim, .id = "data"});
      bed.assume(slow);
      CHECK(bed.fits(wants("2")));
      CHECK(bed.doubted() == std::vector<std::string>{"p1", "p2"});
    }
  }
}

}  // namespace
}  // namespace winnow::test
