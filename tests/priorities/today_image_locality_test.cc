#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

constexpr const char* kImages = "ImageLocality";
constexpr std::int64_t kMi = 1024 * 1024;

std::vector<Node> has(const char* name, std::int64_t bytes) { return {node("a").image(name, bytes)}; }

Volume image_volume(std::string reference) {
  Volume made;
  made.name = "image";
  made.source = VolumeSource::kImage;
  made.id = std::move(reference);
  return made;
}

const Pod kWeb = pod("web").image("web:1");

}  // namespace

TEST_CASE("ImageLocality: from 23 MiB to 1000 MiB for each image") {
  const Ranking rows[] = {
      {"nobody has it", kWeb, has("db:1", 500 * kMi), {}, {{"a", 0}}},
      {"23 MiB is the least", kWeb, has("web:1", 23 * kMi), {}, {{"a", 0}}},
      {"100*(500-23)/(1000-23) = 48.8", kWeb, has("web:1", 500 * kMi), {}, {{"a", 48}}},
      {"1000 MiB is the most", kWeb, has("web:1", 1000 * kMi), {}, {{"a", 100}}},
      {"more is not more", kWeb, has("web:1", 5000 * kMi), {}, {{"a", 100}}},
      {"two images: 100*(1000-23)/(2000-23) = 49.4",
       pod("web").image("web:1").container().image("db:1"),
       has("web:1", 1000 * kMi),
       {},
       {{"a", 49}}},
      {"on one of two nodes: 100*(250-23)/977 = 23.2",
       kWeb,
       {node("a").image("web:1", 500 * kMi), node("b")},
       {},
       {{"a", 23}, {"b", 0}}},
      {"on two of three: int(500Mi*(2/3.0)): 100*(333.3-23)/977 = 31.7",
       kWeb,
       {node("a").image("web:1", 500 * kMi), node("b").image("web:1", 700 * kMi), node("c")},
       {},
       {{"a", 31}, {"b", 31}, {"c", 0}}},
  };
  check_plugin_scores(kImages, rows);
}

TEST_CASE("ImageLocality: whose images") {
  const Ranking rows[] = {
      {"an init container's, two images: 100*(1000-23)/1977 = 49.4",
       pod("web").image("web:1").init().image("init:1"),
       has("init:1", 1000 * kMi),
       {},
       {{"a", 49}}},
      {"a volume's",
       pod("web").mounts(image_volume("data")),
       has("data:latest", 1000 * kMi),
       {},
       {{"a", 100}}},
      {"one image named three times counts three times: 100*(1500-23)/(3000-23) = 49.6",
       pod("web").image("web:1").init().image("web:1").mounts(image_volume("web:1")),
       has("web:1", 500 * kMi),
       {},
       {{"a", 49}}},
      {"another volume's is no image: 100*(500-23)/977",
       pod("web").image("web:1").mounts(claim("web:1")),
       has("web:1", 500 * kMi),
       {},
       {{"a", 48}}},
      {"no image at all", pod("web"), has("web:1", 500 * kMi), {}, {{"a", 0}}},
  };
  check_plugin_scores(kImages, rows);
}

TEST_CASE("ImageLocality skips no pod") {
  State state(kPlugins);
  state.set_node(node("a"));
  CHECK_FALSE(score(kImages, View(state), kWeb).skipped);
  CHECK_FALSE(score(kImages, View(state), pod("web")).skipped);
}

}  // namespace winnow::test
