// What a pod asks for, under both kinds of arithmetic.
#include "cluster/state/pod_requests.h"

#include <doctest/doctest.h>

#include <span>

#include "cluster/api/generation.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

constexpr std::int64_t kMi = 1024 * 1024;

struct Row {
  const char* sentence;
  Pod pod;
  PodRequests v116, today;
};

void check(std::span<const Row> rows, bool with_status = false) {
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    for (const auto& [accounting, expected] :
         {std::pair(Accounting::kV116, row.v116), std::pair(Accounting::kToday, row.today)}) {
      const PodRequests counted = pod_requests(row.pod, accounting, with_status);
      CAPTURE(static_cast<int>(accounting));
      CHECK(counted.milli_cpu == expected.milli_cpu);
      CHECK(counted.memory == expected.memory);
      CHECK(counted.ephemeral_storage == expected.ephemeral_storage);
      CHECK(counted.scalars == expected.scalars);
      CHECK(counted.nonzero_milli_cpu == expected.nonzero_milli_cpu);
      CHECK(counted.nonzero_memory == expected.nonzero_memory);
    }
  }
}

/// cpu, memory, then both as scoring counts them; the rest is 0.
PodRequests sums(std::int64_t cpu, std::int64_t memory, std::int64_t nonzero_cpu,
                 std::int64_t nonzero_memory) {
  return {cpu, memory, 0, {}, nonzero_cpu, nonzero_memory};
}

Row same(const char* sentence, Pod pod, const PodRequests& both) {
  return {sentence, std::move(pod), both, both};
}

ContainerStatus status(std::string name, std::optional<std::string> allocated,
                       std::optional<std::string> actuated) {
  ContainerStatus made;
  made.name = std::move(name);
  if (allocated) made.allocated_resources = ResourceList{{"cpu", quantity(*allocated)}};
  if (actuated) made.resources = ActuatedResources{ResourceList{{"cpu", quantity(*actuated)}}};
  return made;
}

/// A pod "c" that asks for 500m, and what its status says.
Pod resized(std::optional<std::string> allocated, std::optional<std::string> actuated,
            std::string pending = "") {
  Pod made = pod("web").container("c").cpu("500m").memory("0");
  made.status.container_statuses = {status("c", std::move(allocated), std::move(actuated))};
  if (!pending.empty())
    made.status.conditions = {{"Ready", "True", ""}, {"PodResizePending", "True", pending}};
  return made;
}

}  // namespace

TEST_CASE("containers are summed; one that names no cpu or memory counts 100m or 200Mi when scored") {
  const Row rows[] = {
      same("no containers", pod("a"), sums(0, 0, 0, 0)),
      same("a container without requests", pod("a").container(), sums(0, 0, 100, 200 * kMi)),
      same("two without: 2*100m, 2*200Mi", pod("a").container().container(), sums(0, 0, 200, 400 * kMi)),
      same("an explicit 0 is 0", pod("a").cpu("0").memory("0"), sums(0, 0, 0, 0)),
      same("cpu alone", pod("a").cpu("2"), sums(2000, 0, 2000, 200 * kMi)),
      same("memory alone", pod("a").memory("1Mi"), sums(0, kMi, 100, kMi)),
      same("500m + nothing = 500m, scored 600m", pod("a").cpu("500m").memory("0").container().memory("0"),
           sums(500, 0, 600, 0)),
      same("250m + 1.5 = 1750m", pod("a").cpu("250m").memory("0").container().cpu("1.5").memory("0"),
           sums(1750, 0, 1750, 0)),
      same("memory 100m is rounded up to 1 byte", pod("a").cpu("0").memory("100m"), sums(0, 1, 0, 1)),
  };
  check(rows);
}

TEST_CASE("v1.16 rounds each container up, today's scheduler the sum") {
  const Row rows[] = {
      {"100u + 100u of cpu: 1m + 1m = 2m, or 200u = 1m",
       pod("a").cpu("100u").memory("0").container().cpu("100u").memory("0"), sums(2, 0, 2, 0),
       sums(1, 0, 1, 0)},
      {"500m + 500m of memory: 1 + 1, or 1",
       pod("a").cpu("0").memory("500m").container().cpu("0").memory("500m"), sums(0, 2, 0, 2),
       sums(0, 1, 0, 1)},
  };
  check(rows);
}

TEST_CASE("an init container counts where it asks for more than all containers together") {
  const Row rows[] = {
      same("more", pod("a").cpu("1").memory("1").init().cpu("3").memory("2"), sums(3000, 2, 3000, 2)),
      same("less", pod("a").cpu("1").memory("9").init().cpu("3").memory("2"), sums(3000, 9, 3000, 9)),
      same("init containers are not summed", pod("a").init().cpu("2").memory("0").init().cpu("1").memory("0"),
           sums(2000, 0, 2000, 0)),
      same("one without requests counts 100m and 200Mi when scored", pod("a").cpu("50m").memory("1").init(),
           sums(50, 1, 100, 200 * kMi)),
  };
  check(rows);
}

TEST_CASE("sidecars, overhead and pod-level resources are today's") {
  const Row rows[] = {
      {"a sidecar: 1 + 500m; v1.16 takes it for an init container: max(1, 500m)",
       pod("a").cpu("1").memory("0").sidecar().cpu("500m").memory("0"), sums(1000, 0, 1000, 0),
       sums(1500, 0, 1500, 0)},
      {"an init container beside the sidecar before it: max(1 + 1, 2 + 1) = 3",
       pod("a").cpu("1").memory("0").sidecar().cpu("1").memory("0").init().cpu("2").memory("0"),
       sums(2000, 0, 2000, 0), sums(3000, 0, 3000, 0)},
      {"not beside the one behind it: max(1 + 1, 2) = 2",
       pod("a").cpu("1").memory("0").init().cpu("2").memory("0").sidecar().cpu("1").memory("0"),
       sums(2000, 0, 2000, 0), sums(2000, 0, 2000, 0)},
      {"two sidecars: max(1 + 1 + 2, 4 + 1 + 2) = 7",
       pod("a")
           .cpu("1")
           .memory("0")
           .sidecar()
           .cpu("1")
           .memory("0")
           .sidecar()
           .cpu("2")
           .memory("0")
           .init()
           .cpu("4")
           .memory("0"),
       sums(4000, 0, 4000, 0), sums(7000, 0, 7000, 0)},
      {"overhead comes on top: max(1, 2) + 250m",
       pod("a").cpu("1").memory("0").init().cpu("2").memory("0").overhead("cpu", "250m"),
       sums(2000, 0, 2000, 0), sums(2250, 0, 2250, 0)},
      {"pod-level cpu takes the place of the containers'",
       pod("a").cpu("3").memory("5").pod_level("cpu", "2"), sums(3000, 5, 3000, 5), sums(2000, 5, 2000, 5)},
      {"pod-level cpu and memory: no defaults",
       pod("a").container().pod_level("cpu", "2").pod_level("memory", "1Mi"), sums(0, 0, 100, 200 * kMi),
       sums(2000, kMi, 2000, kMi)},
      {"pod-level memory alone: cpu still has its default", pod("a").container().pod_level("memory", "1Mi"),
       sums(0, 0, 100, 200 * kMi), sums(0, kMi, 100, kMi)},
      {"a resource that cannot be asked for at pod level does not count",
       pod("a").cpu("1").memory("0").pod_level("example.com/gpu", "2"), sums(1000, 0, 1000, 0),
       sums(1000, 0, 1000, 0)},
      {"overhead on pod-level cpu: 2 + 1", pod("a").memory("0").pod_level("cpu", "2").overhead("cpu", "1"),
       sums(0, 0, 100, 0), sums(3000, 0, 3000, 0)},
  };
  check(rows);
}

TEST_CASE("scalar resources are summed by name, and a 0 asks too") {
  using Scalars = std::vector<std::pair<std::string, std::int64_t>>;
  struct ScalarRow {
    const char* sentence;
    Pod pod;
    Scalars v116, today;
  };
  const std::string gpu = "example.com/gpu";
  const ScalarRow rows[] = {
      {"1 + 2 = 3", pod("a").asks(gpu, "1").container().asks(gpu, "2"), {{gpu, 3}}, {{gpu, 3}}},
      {"in name order",
       pod("a").asks("hugepages-2Mi", "4Mi").asks(gpu, "1").asks("attachable-volumes-x", "1"),
       {{"attachable-volumes-x", 1}, {gpu, 1}, {"hugepages-2Mi", 4 * kMi}},
       {{"attachable-volumes-x", 1}, {gpu, 1}, {"hugepages-2Mi", 4 * kMi}}},
      {"0 asks", pod("a").asks(gpu, "0"), {{gpu, 0}}, {{gpu, 0}}},
      {"an init container's 0 does not ask in v1.16", pod("a").init().asks(gpu, "0"), {}, {{gpu, 0}}},
      {"an init container's 1 does", pod("a").init().asks(gpu, "1"), {{gpu, 1}}, {{gpu, 1}}},
      {"max(1, 2)", pod("a").asks(gpu, "1").init().asks(gpu, "2"), {{gpu, 2}}, {{gpu, 2}}},
      {"names that no node accounts for are left out",
       pod("a").asks("widgets", "1").asks("pods", "3").asks("requests.example.com/x", "1"),
       {},
       {}},
      {"huge pages at pod level",
       pod("a").asks("hugepages-2Mi", "2Mi").pod_level("hugepages-2Mi", "6Mi"),
       {{"hugepages-2Mi", 2 * kMi}},
       {{"hugepages-2Mi", 6 * kMi}}},
  };
  for (const ScalarRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(pod_requests(row.pod, Accounting::kV116, false).scalars == row.v116);
    CHECK(pod_requests(row.pod, Accounting::kToday, false).scalars == row.today);
    CHECK(pod_requests(row.pod, Accounting::kV116, false).asks_for_nothing() == row.v116.empty());
  }
  const Pod stores = pod("a").asks("ephemeral-storage", "1500m");
  CHECK(pod_requests(stores, Accounting::kV116, false).ephemeral_storage == 2);
  CHECK(pod_requests(stores, Accounting::kToday, false).ephemeral_storage == 2);
  CHECK_FALSE(pod_requests(stores, Accounting::kToday, false).asks_for_nothing());
}

TEST_CASE("a pod that runs counts the most of what is asked, allocated and in force") {
  struct ResizeRow {
    const char* sentence;
    Pod pod;
    std::int64_t cpu;
  };
  const ResizeRow rows[] = {
      {"no status: 500m", resized({}, {}), 500},
      {"allocated more", resized("800m", {}), 800},
      {"in force more", resized({}, "900m"), 900},
      {"both: max(500m, 800m, 700m)", resized("800m", "700m"), 800},
      {"less of both: the spec counts", resized("100m", "200m"), 500},
      {"a resize that is deferred still counts", resized("100m", "200m", "Deferred"), 500},
      {"one that is infeasible does not: max(100m, 200m)", resized("100m", "200m", "Infeasible"), 200},
      {"infeasible, and only allocated", resized("100m", {}, "Infeasible"), 100},
      {"infeasible, and nothing known: nothing", resized({}, {}, "Infeasible"), 0},
  };
  for (const ResizeRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(pod_requests(row.pod, Accounting::kToday, /*with_status=*/true).milli_cpu == row.cpu);
    CHECK(pod_requests(row.pod, Accounting::kToday, /*with_status=*/false).milli_cpu == 500);
    CHECK(pod_requests(row.pod, Accounting::kV116, /*with_status=*/true).milli_cpu == 500);
  }
}

TEST_CASE("a resize of the whole pod is read from its own status") {
  Pod made = pod("web").container("c").cpu("1").pod_level("cpu", "2");
  made.status.container_statuses = {status("c", "9", "9")};
  const auto cpu = [&] { return pod_requests(made, Accounting::kToday, true).milli_cpu; };
  CHECK(cpu() == 2000);
  made.status.resources = ActuatedResources{ResourceList{{"cpu", quantity("3")}}};
  CHECK(cpu() == 3000);  // max(2, 3)
  made.status.allocated_resources = ResourceList{{"cpu", quantity("4")}};
  CHECK(cpu() == 4000);  // max(2, 3, 4)
  made.status.resources->requests = ResourceList{{"cpu", quantity("1")}};
  made.status.allocated_resources = ResourceList{{"cpu", quantity("1")}};
  CHECK(cpu() == 2000);
  made.status.conditions = {{"PodResizePending", "True", "Infeasible"}};
  CHECK(cpu() == 1000);  // The spec drops out.
}

TEST_CASE("requests in force that are empty are not the same as none") {
  Pod made = resized("800m", {}, "Infeasible");
  const auto cpu = [&] { return pod_requests(made, Accounting::kToday, true).milli_cpu; };
  made.status.container_statuses[0].resources.emplace();
  CHECK(cpu() == 800);
  made.status.container_statuses[0].resources->requests.emplace();
  CHECK(cpu() == 800);  // max(nothing, 800m)
  made.status.resources.emplace();
  made.status.allocated_resources = ResourceList{{"cpu", quantity("1m")}};
  CHECK(cpu() == 800);
  made.status.resources->requests.emplace();
  CHECK(cpu() == 1);  // The pod's own status takes the place of its containers'.
}

TEST_CASE("a request list by its options") {
  const Pod web = pod("web")
                      .container("c")
                      .cpu("1")
                      .sidecar()
                      .memory("1")
                      .pod_level("cpu", "3")
                      .overhead("example.com/gpu", "1");
  CHECK(pod_request_list(web, {}) ==
        ResourceList{{"cpu", quantity("3")}, {"example.com/gpu", quantity("1")}, {"memory", quantity("1")}});
  CHECK(pod_request_list(web, {.with_pod_level = false, .defaults = default_requests()}) ==
        ResourceList{{"cpu", quantity("1100m")},
                     {"example.com/gpu", quantity("1")},
                     {"memory", quantity("209715201")}});
}

TEST_CASE("best effort: nothing asked for, nothing limited") {
  struct EffortRow {
    const char* sentence;
    Pod pod;
    bool v116, today;
  };
  const EffortRow rows[] = {
      {"no containers", pod("a"), true, true},
      {"no requests", pod("a").container(), true, true},
      {"zero is nothing", pod("a").cpu("0").limit("memory", "0"), true, true},
      {"a request", pod("a").cpu("1m"), false, false},
      {"a limit", pod("a").limit("memory", "1"), false, false},
      {"the second container", pod("a").container().container().memory("1"), false, false},
      {"an init container", pod("a").container().init().cpu("1"), false, false},
      {"other resources do not count", pod("a").asks("ephemeral-storage", "1").asks("example.com/gpu", "1"),
       true, true},
      {"pod-level requests are today's", pod("a").pod_level("cpu", "1"), true, false},
  };
  for (const EffortRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(is_best_effort(row.pod, Accounting::kV116) == row.v116);
    CHECK(is_best_effort(row.pod, Accounting::kToday) == row.today);
  }
}

}  // namespace winnow::test
