#include <doctest/doctest.h>

#include <limits>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

constexpr std::int64_t kMi = 1024 * 1024;

const auto has = [](const char* name, std::int64_t bytes) -> std::vector<Node> {
  return {node("a").image(name, bytes)};
};
const Node kBare = node("b");
const Pod kWeb = pod("web").image("web:1");

}  // namespace

TEST_CASE("ImageLocalityPriority: how much of it") {
  const Ranking rows[] = {
      {"nobody has it", kWeb, has("db:1", 500 * kMi), {}, {{"a", 0}}},
      {"no image at all", pod("web").container(), has("web:1", 500 * kMi), {}, {{"a", 0}}},
      {"23 MiB is the least", kWeb, has("web:1", 23 * kMi), {}, {{"a", 0}}},
      {"10*(126563123 - 23Mi) / 977Mi = 0.99", kWeb, has("web:1", 126'563'123), {}, {{"a", 0}}},
      {"10*(126563124 - 23Mi) / 977Mi = 1", kWeb, has("web:1", 126'563'124), {}, {{"a", 1}}},
      {"10*(1000Mi - 1 - 23Mi) / 977Mi = 9.99", kWeb, has("web:1", 1000 * kMi - 1), {}, {{"a", 9}}},
      {"1000 MiB is the most", kWeb, has("web:1", 1000 * kMi), {}, {{"a", 10}}},
      {"more is not more", kWeb, has("web:1", 5000 * kMi), {}, {{"a", 10}}},
      {"on one of two nodes: 500Mi*1/2 = 250Mi: 10*227/977 = 2",
       kWeb,
       {node("a").image("web:1", 500 * kMi), kBare},
       {},
       {{"a", 2}, {"b", 0}}},
      {"on both: 10*477/977 = 4",
       kWeb,
       {node("a").image("web:1", 500 * kMi), node("b").image("web:1", 500 * kMi)},
       {},
       {{"a", 4}, {"b", 4}}},
      {"the share is truncated to bytes: 253126247*1/2 = 126563123.5",
       kWeb,
       {node("a").image("web:1", 253'126'247), kBare},
       {},
       {{"a", 0}, {"b", 0}}},
      {"the first reporter's size counts: 10*477/977 = 4",
       kWeb,
       {node("a").image("web:1", 500 * kMi), node("b").image("web:1", 900 * kMi)},
       {},
       {{"a", 4}, {"b", 4}}},
      {"named twice on a node, the first size counts",
       kWeb,
       {node("a").image("web:1", 500 * kMi).image("web:1", 900 * kMi)},
       {},
       {{"a", 4}}},
  };
  check_scores("ImageLocalityPriority", rows);
}

TEST_CASE("ImageLocalityPriority: whose image, by what name") {
  const Ranking rows[] = {
      {"containers are summed: 250Mi + 250Mi: 10*477/977 = 4",
       pod("web").image("web:1").container().image("db:1"),
       {node("a").image("web:1", 250 * kMi).image("db:1", 250 * kMi)},
       {},
       {{"a", 4}}},
      {"also of one image",
       pod("web").image("web:1").container().image("web:1"),
       has("web:1", 250 * kMi),
       {},
       {{"a", 4}}},
      {"init containers do not count",
       pod("web").container().init().image("web:1"),
       has("web:1", 500 * kMi),
       {},
       {{"a", 0}}},
      {"no tag is latest", pod("web").image("web"), has("web:latest", 500 * kMi), {}, {{"a", 4}}},
      {"a port is no tag",
       pod("web").image("registry:5000/web"),
       has("registry:5000/web:latest", 500 * kMi),
       {},
       {{"a", 4}}},
      {"a tag behind a port",
       pod("web").image("registry:5000/web:1"),
       has("registry:5000/web:1", 500 * kMi),
       {},
       {{"a", 4}}},
      {"a digest stands as it is",
       pod("web").image("web@sha256:00"),
       has("web@sha256:00", 500 * kMi),
       {},
       {{"a", 4}}},
      {"other spellings are other images",
       pod("web").image("web"),
       has("docker.io/library/web:latest", 500 * kMi),
       {},
       {{"a", 0}}},
      {"the node's name is taken as it is", pod("web").image("web"), has("web", 500 * kMi), {}, {{"a", 0}}},
  };
  check_scores("ImageLocalityPriority", rows);
}

TEST_CASE("an image of no sensible size does no harm") {
  State state;
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  state.set_node(node("a").image("web:1", kLargest).image("db:1", -kLargest));
  const Pod web =
      pod("web").image("web:1").container().image("web:1").container().image("db:1").container().image(
          "db:1");
  const std::int64_t given = score("ImageLocalityPriority", View(state), web).scores.at("a");
  CHECK((given == 0 || given == 10));
}

TEST_CASE("every node of the cluster counts, not only those asked about") {
  State state;
  state.set_node(node("a").image("web:1", 1000 * kMi));
  for (const char* name : {"b", "c", "d"}) state.set_node(node(name));
  // 1000Mi*1/4 = 250Mi: 10*227/977 = 2
  CHECK(score("ImageLocalityPriority", View(state), pod("web").image("web:1"), {"a"}).scores.at("a") == 2);
  state.remove_node("d");
  // 1000Mi*1/3 = 333.3Mi: 10*310.3/977 = 3
  CHECK(score("ImageLocalityPriority", View(state), pod("web").image("web:1"), {"a"}).scores.at("a") == 3);
}

}  // namespace winnow::test
