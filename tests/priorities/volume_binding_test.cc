#include <doctest/doctest.h>

#include "priorities/rules.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

Storage storage() {
  CsiStorageCapacity limited = capacity("limited", "lvm", "40Gi", selects({{"host", "c"}}));
  limited.maximum_volume_size = quantity("30Gi");
  return {.claims = {pvc("ten").of_class("local").size("10Gi"), pvc("five").of_class("other").size("5Gi"),
                     pvc("made").of_class("lvm").size("10Gi"), pvc("more").of_class("lvm").size("20Gi"),
                     pvc("bound").bound_to("b")},
          .volumes = {pv("a20").of_class("local").size("20Gi").only_on({{"host", "In", {"a"}}}),
                      pv("a40").of_class("local").size("40Gi").only_on({{"host", "In", {"a"}}}),
                      pv("b30").of_class("local").size("30Gi").only_on({{"host", "In", {"b"}}}),
                      pv("five").of_class("other").size("50Gi"), pv("b")},
          .classes = {storage_class("local", "kubernetes.io/no-provisioner"),
                      storage_class("other", "kubernetes.io/no-provisioner"),
                      storage_class("lvm", "lvm.example.com")},
          .csi_nodes = {},
          .drivers = {csi_driver("lvm.example.com", false, true)},
          .capacities = {capacity("a", "lvm", "100Gi", selects({{"host", "a"}})), limited}};
}

std::map<std::string, std::int64_t> scores(const Pod& pod, const Arguments& arguments = VolumeBindingArgs{
                                                               {{0, 0}, {100, 10}}}) {
  State state(kPlugins);
  for (const char* name : {"a", "b", "c"}) state.set_node(node(name).label("host", name));
  storage().put_into(state);
  const Scores given = score(priority("VolumeBinding"), View(state), pod, arguments);
  CHECK(given.error == "");
  CHECK_FALSE(given.skipped);
  return given.scores;
}

using Expected = std::map<std::string, std::int64_t>;

}  // namespace

TEST_CASE("VolumeBinding scores how full the storage would be") {
  const auto mounts = [](std::vector<const char*> claims) -> Pod {
    PodBuilder web = pod("web");
    for (const char* one : claims) web.mounts(claim(one));
    return web;
  };
  CHECK(scores(pod("web")) == Expected{{"a", 0}, {"b", 0}, {"c", 0}});
  CHECK(scores(mounts({"bound"})) == Expected{{"a", 0}, {"b", 0}, {"c", 0}});
  CHECK(scores(mounts({"none"})) == Expected{{"a", 0}, {"b", 0}, {"c", 0}});
  // 10/20, 10*100/30 = 33, no volume.
  CHECK(scores(mounts({"ten"})) == Expected{{"a", 50}, {"b", 33}, {"c", 0}});
  // Two of a class are summed: 20/60 = 33; b has one volume only.
  CHECK(scores(mounts({"ten", "ten"})) == Expected{{"a", 33}, {"b", 0}, {"c", 0}});
  // Two classes: (50 + 10) / 2, (33 + 10) / 2 = 21.5.
  CHECK(scores(mounts({"ten", "five"})) == Expected{{"a", 30}, {"b", 22}, {"c", 0}});
  // A capacity counts once: 10/100, (10+20)/100. On c the capacity counts, and not the limit for one volume.
  CHECK(scores(mounts({"made"})) == Expected{{"a", 10}, {"b", 0}, {"c", 25}});
  CHECK(scores(mounts({"made", "more"})) == Expected{{"a", 30}, {"b", 0}, {"c", 75}});
  CHECK(scores(mounts({"more", "more", "made"})) == Expected{{"a", 50}, {"b", 0}, {"c", 100}});
  // If a volume is found for one claim, the capacity for provisioned ones does not count.
  CHECK(scores(mounts({"five", "made"})) == Expected{{"a", 10}, {"b", 0}, {"c", 10}});
  CHECK(scores(mounts({"ten"}), {}) == Expected{{"a", 50}, {"b", 67}, {"c", 0}});
}

}  // namespace winnow::test
