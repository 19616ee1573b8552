#include <doctest/doctest.h>

#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {

TEST_CASE("MaxEBSVolumeCount: nitro instances take 25") {
  PodBuilder twenty_six = pod("web");
  for (int i = 0; i < 26; ++i) twenty_six.mounts(ebs_volume(std::to_string(i)));
  const auto of_type = [](const char* type) -> Node {
    return node("a").label("beta.kubernetes.io/instance-type", type);
  };
  const char* const kRefused = "unschedulable: node(s) exceed max volume count";
  const Placement rows[] = {
      {"no type", twenty_six, node("a"), {}, "fits"},
      {"an old type", twenty_six, of_type("m4.large"), {}, "fits"},
      {"m5", twenty_six, of_type("m5.large"), {}, kRefused},
      {"c5", twenty_six, of_type("c5d.large"), {}, kRefused},
      {"r5", twenty_six, of_type("r5"), {}, kRefused},
      {"m5 not at the start", twenty_six, of_type("x-m5.large"), {}, "fits"},
      {"x5", twenty_six, of_type("x5.large"), {}, "fits"},
      {"t3", twenty_six, of_type("t3.large"), {}, kRefused},
      {"t3 anywhere", twenty_six, of_type("best3.large"), {}, kRefused},
      {"z1d anywhere", twenty_six, of_type("a-z1d"), {}, kRefused},
      {"the node knows better",
       twenty_six,
       node("a")
           .label("beta.kubernetes.io/instance-type", "m5.large")
           .offers("attachable-volumes-aws-ebs", "26"),
       {},
       "fits"},
      {"today's label is not read",
       twenty_six,
       node("a").label("node.kubernetes.io/instance-type", "m5.large"),
       {},
       "fits"},
  };
  check_verdicts("MaxEBSVolumeCount", rows);
  check_verdicts("MaxEBSVolumeCount", rows, {}, kDefaults);
}

TEST_CASE("MaxEBSVolumeCount: each node by its own type") {
  PodBuilder twenty_six = pod("web");
  for (int i = 0; i < 26; ++i) twenty_six.mounts(ebs_volume(std::to_string(i)));
  State state;
  const char* types[] = {"m5.a", "m4.a", "t3.a", "m4.b", "m5.a", "m4.a"};
  for (int i = 0; i < 6; ++i)
    state.set_node(node(std::to_string(i)).label("beta.kubernetes.io/instance-type", types[i]));
  const auto verdicts = judge("MaxEBSVolumeCount", View(state), twenty_six);
  for (int i = 0; i < 6; ++i) CHECK((verdicts.at(std::to_string(i)) == "fits") == (i % 2 == 1));
}

}  // namespace winnow::test
