#include "cluster/rule/device_requests.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/rule/arguments.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr const char* kByName = "deviceclass.resource.kubernetes.io/gpu";

DeviceClass device_class(std::string name, std::string resource, std::int64_t created = 1) {
  DeviceClass made;
  made.metadata.name = std::move(name);
  made.metadata.creation_timestamp = created;
  made.extended_resource_name = std::move(resource);
  return made;
}

/// Node `plain` offers no GPUs, `none` offers 0, and `plugin` offers 2, one of which is taken.
std::unique_ptr<const State> cluster(const std::vector<DeviceClass>& classes,
                                     State::Options options = kPlugins) {
  auto made = std::make_unique<State>(options);
  State& state = *made;
  const auto size = [](const char* name) { return node(name).cpu("4").memory("8Gi").pods("9"); };
  state.set_node(size("plain"));
  state.set_node(size("none").offers(kGpu, "0").offers("ephemeral-storage", "1Gi"));
  state.set_node(size("plugin").offers(kGpu, "2"));
  state.set_pod(pod("there").on("plugin").asks(kGpu, "1"));
  for (const DeviceClass& one : classes) state.objects.of<DeviceClass>()[one.metadata.name] = one;
  return made;
}

std::string names(const State& state, const Pod& pod) {
  std::string text;
  for (const ExtendedResourceRequest& one : device_requests(state, pod))
    text += (text.empty() ? "" : ", ") + to_text(one);
  return text;
}

const std::string kAway = "unresolvable: Insufficient nvidia.com/gpu";
using Verdicts = std::map<std::string, std::string>;

TEST_SUITE("resources that devices provide") {
  TEST_CASE("a class names one, and has one by its own name") {
    const auto state = cluster({device_class("gpu", kGpu), device_class("fpga", "")});
    struct Row {
      std::string sentence;
      Pod pod;
      std::string expected;
    };
    const Row rows[] = {
        {"the resource that it names", pod("web").asks(kGpu, "1"), "DeviceClass gpu provides nvidia.com/gpu"},
        {"the resource by its own name", pod("web").asks(kByName, "1"),
         "DeviceClass gpu provides deviceclass.resource.kubernetes.io/gpu"},
        {"one that no class names", pod("web").asks("example.com/gpu", "1"), ""},
        {"no class has that name", pod("web").asks("deviceclass.resource.kubernetes.io/tpu", "1"), ""},
        {"a class that names none is no class of an empty name", pod("web").cpu("1"), ""},
        {"nothing of it is asked for", pod("web").asks(kGpu, "0"), ""},
        {"two of them, by the resource's name",
         pod("web").asks("deviceclass.resource.kubernetes.io/fpga", "1").asks(kGpu, "1"),
         "DeviceClass fpga provides deviceclass.resource.kubernetes.io/fpga, "
         "DeviceClass gpu provides nvidia.com/gpu"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(names(*state, row.pod) == row.expected);
    }
    CHECK(names(*cluster({device_class("gpu", kGpu)}, kExact), pod("web").asks(kGpu, "1")).empty());
  }

  TEST_CASE("of several classes the newest provides it, then the first by name") {
    const auto newest = cluster({device_class("a", kGpu, 1), device_class("b", kGpu, 2)});
    CHECK(device_class_of(newest->objects, kGpu)->metadata.name == "b");
    const auto first = cluster({device_class("b", kGpu, 2), device_class("a", kGpu, 2)});
    CHECK(device_class_of(first->objects, kGpu)->metadata.name == "a");
    CHECK(device_class_of(cluster({})->objects, kGpu) == nullptr);
  }

  TEST_CASE("it refuses no node that does not offer it, and is checked where a node does") {
    const auto with = cluster({device_class("gpu", kGpu)});
    const auto without = cluster({});
    struct Row {
      std::string sentence;
      Pod pod;
      Verdicts with, without;
    };
    const Row rows[] = {
        {"one",
         pod("web").asks(kGpu, "1"),
         {{"none", "fits"}, {"plain", "fits"}, {"plugin", "fits"}},
         {{"none", kAway}, {"plain", kAway}, {"plugin", "fits"}}},
        {"more than the plugin has left",
         pod("web").asks(kGpu, "2"),
         {{"none", "fits"}, {"plain", "fits"}, {"plugin", "unschedulable: Insufficient nvidia.com/gpu"}},
         {{"none", kAway}, {"plain", kAway}, {"plugin", "unschedulable: Insufficient nvidia.com/gpu"}}},
        {"other resources are checked beside",
         pod("web").asks(kGpu, "3").cpu("5"),
         {{"none", "unresolvable: Insufficient cpu"},
          {"plain", "unresolvable: Insufficient cpu"},
          {"plugin", "unresolvable: Insufficient cpu, Insufficient nvidia.com/gpu"}},
         {{"none", "unresolvable: Insufficient cpu, Insufficient nvidia.com/gpu"},
          {"plain", "unresolvable: Insufficient cpu, Insufficient nvidia.com/gpu"},
          {"plugin", "unresolvable: Insufficient cpu, Insufficient nvidia.com/gpu"}}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(judge("NodeResourcesFit", View(*with), row.pod) == row.with);
      CHECK(judge("NodeResourcesFit", View(*without), row.pod) == row.without);
    }
  }

  TEST_CASE("a pod with more resources than a verdict has bits is judged the same") {
    // The reasons are sorted by resource, and the first ones alone are told.
    PodBuilder many = pod("web").asks(kGpu, "1");
    for (int i = 0; i < 70; ++i) many.asks("zone.example.com/r" + std::to_string(100 + i), "1");
    for (const auto& [name, verdict] :
         judge("NodeResourcesFit", View(*cluster({device_class("gpu", kGpu)})), many))
      CHECK_FALSE(verdict.contains(kGpu));
    for (const auto& [name, verdict] : judge("NodeResourcesFit", View(*cluster({})), many))
      CHECK(verdict.contains(kGpu) == (name != "plugin"));
  }

  TEST_CASE("the classic rule does the same, but to the letter of v1.16") {
    const Pod web = pod("web").asks(kGpu, "1");
    CHECK(judge("PodFitsResources", View(*cluster({device_class("gpu", kGpu)}, kDefaults)), web).at("none") ==
          "fits");
    CHECK(judge("PodFitsResources", View(*cluster({device_class("gpu", kGpu)}, kExact)), web).at("none") ==
          "unschedulable: Insufficient nvidia.com/gpu");
  }
}

}  // namespace
}  // namespace winnow::test
