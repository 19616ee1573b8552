// The devices of a pod: what PreFilter refuses, the verdict on a node, the score, and resources that devices
// provide.
#include "cluster/rule/pod_devices.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/state/state.h"
#include "tests/builders.h"
#include "tests/devices.h"

namespace winnow::test {
namespace {

/// Nodes `big` with two devices, `small` with one and `none` without; a class of all, and one of h100.
struct DeviceBed {
  DeviceBed() {
    for (const char* const name : {"big", "small", "none"})
      state.set_node(node(name).cpu("4").memory("8Gi").pods("9"));
    ObjectWriter<ResourceSlice>::set(state, gpus_of("big", 2, "h100"));
    ObjectWriter<ResourceSlice>::set(state, gpus_of("small", 1));
    ObjectWriter<DeviceClass>::set(
        state, {.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = "nvidia.com/gpu"});
    ObjectWriter<DeviceClass>::set(
        state, {.metadata = {.name = "h100"}, .selectors = {"device.attributes['d'].model == 'h100'"}});
  }
  void set(const ResourceClaim& claim) { ObjectWriter<ResourceClaim>::set(state, claim); }

  /// "skipped", "refused: …", or by node "fits", "fits 8" with a score, and the reason.
  std::map<std::string, std::string> ask(const Pod& pod) {
    const View view(state);
    const std::vector<NodeId> nodes = view.all_nodes();
    const auto devices = PodDevices::of({.pod = pod, .view = view, .nodes = nodes}, {});
    if (!devices) return {{"", "refused: " + devices.error().reason}};
    if (!*devices) return {{"", "skipped"}};
    std::map<std::string, std::string> said;
    for (const NodeId node : nodes) {
      const NodeDevices judged = (*devices)->judge(node);
      std::string& text = said[std::string(view.node_name(node))] = judged.reason;
      if (judged.fit == Fit::kFits)
        text = judged.score == 0 ? "fits" : "fits " + std::to_string(judged.score);
      CHECK((judged.fit == Fit::kFits) == (*devices)->allocate(node).has_value());
    }
    return said;
  }

  State state;
};

Pod claiming(const std::vector<std::string>& claims) { return claiming(pod("p").uid("uid-p"), claims); }

using Said = std::map<std::string, std::string>;
constexpr const char* kNoDevices = "cannot allocate all claims";

}  // namespace

TEST_CASE("pod devices: what is refused before any node") {
  DeviceBed bed;
  bed.set(simple_claim("unknown-class", 1, "tpu"));
  ResourceClaim deleted = simple_claim("deleted");
  deleted.metadata.deleting = true;
  bed.set(deleted);
  bed.set(claim_named("odd", {{.name = "r"}}));
  bed.set(claim_named("tries",
                      {{.name = "r", .first_available = {{"a", of_class("gpu")}, {"b", of_class("tpu")}}}}));
  bed.set(simple_claim("flying"));
  bed.state.devices.assume(
      "default", {"flying", "uid-flying", {.devices = {{.driver = "d", .pool = "big", .device = "gpu-0"}}}});
  Pod templated = claiming({});
  templated.spec.resource_claims = {{.name = "t", .resource_claim_template_name = "any"}};
  Pod unowned = templated;
  unowned.status.resource_claim_statuses = {{.name = "t", .resource_claim_name = "unknown-class"}};
  Pod needless = templated;
  needless.status.resource_claim_statuses = {{.name = "t"}};
  struct RefusalRow {
    const char* sentence;
    Pod pod;
    const char* said;
  };
  const RefusalRow rows[] = {
      {"no claims", claiming({}), "skipped"},
      {"the claim is missing", claiming({"none"}), "refused: could not find ResourceClaim \"default/none\""},
      {"it is being deleted", claiming({"deleted"}), "refused: resourceclaim \"deleted\" is being deleted"},
      {"the class is missing", claiming({"unknown-class"}),
       "refused: request r: device class tpu does not exist"},
      {"that of an alternative", claiming({"tries"}),
       "refused: request r/b: device class tpu does not exist"},
      {"the request is of no known type", claiming({"odd"}),
       "refused: resource claim default/odd, request r: unknown request type"},
      {"the claim of a template is not made yet", templated,
       "refused: pod \"default/p\": ResourceClaim not created yet"},
      {"it is another pod's", unowned,
       "refused: ResourceClaim default/unknown-class was not created for Pod default/p (Pod is not owner)"},
      {"the template made none", needless, "skipped"},
      {"the claim is being allocated", claiming({"flying"}),
       "refused: resource claim default/flying is in the process of being allocated"},
  };
  for (const RefusalRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(bed.ask(row.pod) == Said{{"", row.said}});
  }
}

TEST_CASE("pod devices: a node needs devices for all claims") {
  DeviceBed bed;
  bed.set(simple_claim("one"));
  bed.set(simple_claim("two", 2));
  bed.set(simple_claim("fast", 1, "h100"));
  CHECK(bed.ask(claiming({"one"})) == Said{{"big", "fits"}, {"small", "fits"}, {"none", kNoDevices}});
  CHECK(bed.ask(claiming({"two"})) == Said{{"big", "fits"}, {"small", kNoDevices}, {"none", kNoDevices}});
  CHECK(bed.ask(claiming({"fast"})) == Said{{"big", "fits"}, {"small", kNoDevices}, {"none", kNoDevices}});
  CHECK(bed.ask(claiming({"one", "two"})).at("big") == kNoDevices);
  ResourceClaim held = simple_claim("held");
  held.allocation = {.devices = {{.request = "r", .driver = "d", .pool = "small", .device = "gpu-0"}}};
  held.allocation->node_selector = {{{.match_fields = {{"metadata.name", "In", {"small"}}}}}};
  bed.set(held);
  CHECK(bed.ask(claiming({"one"})).at("small") == kNoDevices);
  // Its own devices are where they are.
  const char* const elsewhere = "resourceclaim not available on the node";
  CHECK(bed.ask(claiming({"held"})) == Said{{"big", elsewhere}, {"small", "fits"}, {"none", elsewhere}});
  bed.state.set_unread(kind_of<ResourceSlice>, true);
  CHECK(bed.ask(claiming({"one"})) == Said{{"", "skipped"}});
}

TEST_CASE("pod devices: a binding that has failed, or takes too long, loses the claim") {
  DeviceBed bed;
  ResourceClaim claim = simple_claim("c");
  claim.allocation = {.devices = {{.driver = "d",
                                   .pool = "big",
                                   .device = "gpu-0",
                                   .binding_conditions = {"ready"},
                                   .binding_failure_conditions = {"broken"}}}};
  bed.set(claim);
  CHECK(bed.ask(claiming({"c"})).at("big") == "fits");
  claim.allocation->allocated_at = 1;
  bed.set(claim);
  const char* const lost = "resourceclaim not available on the node";
  CHECK(bed.ask(claiming({"c"})).at("big") == lost);
  claim.devices = {{.driver = "d", .pool = "big", .device = "gpu-0", .true_conditions = {"ready"}}};
  bed.set(claim);
  CHECK(bed.ask(claiming({"c"})).at("big") == "fits");
  claim.devices[0].true_conditions.emplace_back("broken");
  bed.set(claim);
  CHECK(bed.ask(claiming({"c"})).at("big") == lost);
}

TEST_CASE("pod devices: the first alternative scores 8, the second 7") {
  DeviceBed bed;
  bed.set(claim_named(
      "c", {{.name = "r", .first_available = {{"fast", of_class("h100")}, {"any", of_class("gpu")}}}}));
  CHECK(bed.ask(claiming({"c"})) == Said{{"big", "fits 8"}, {"small", "fits 7"}, {"none", kNoDevices}});
}

TEST_CASE("pod devices: what devices provide is a claim on nodes that do not offer it") {
  DeviceBed bed;
  bed.state.set_node(node("plugin").cpu("4").memory("8Gi").pods("9").offers("nvidia.com/gpu", "2"));
  const Pod web = pod("p").asks("nvidia.com/gpu", "2");
  CHECK(bed.ask(web) ==
        Said{{"big", "fits"}, {"small", kNoDevices}, {"none", kNoDevices}, {"plugin", "fits"}});
  Pod more = pod("p").asks("nvidia.com/gpu", "1").asks("example.com/fpga", "1");
  CHECK(bed.ask(more).at("big") == "cannot fit resource");
}

TEST_CASE("pod devices: causes name what excludes the devices") {
  DeviceBed bed;
  bed.set(simple_claim("fast", 1, "h100"));
  const View view(bed.state);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Pod asked = claiming({"fast"});
  const auto devices = PodDevices::of({.pod = asked, .view = view, .nodes = nodes}, {});
  REQUIRE(devices);
  std::vector<Cause> causes;
  (*devices)->explain(view.find_node("small"), causes);
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].kind == "devices");
  CHECK(causes[0].text("class") == "h100");
  CHECK(causes[1].text("why") == "selector");
  CHECK(causes[1].text("values") == "model=a10");
  CHECK(causes[1].text("device") == "d/small/gpu-0");
}

TEST_CASE("pod devices: what is assumed for a pod stays its own on that node") {
  DeviceBed bed;
  bed.set(simple_claim("mine"));
  bed.set(simple_claim("other"));
  const DeviceAllocation taken{
      .devices = {{.request = "r", .driver = "d", .pool = "small", .device = "gpu-0"}}};
  bed.state.devices.assume("default", {"mine", "uid-mine", taken}, {.pod_uid = "uid-p", .node = "small"});
  // Its device is taken for others, and for itself on other nodes it counts as before.
  CHECK(bed.ask(claiming({"mine"})) == Said{{"big", "fits"}, {"small", "fits"}, {"none", kNoDevices}});
  CHECK(bed.ask(claiming({"other"})) == Said{{"big", "fits"}, {"small", kNoDevices}, {"none", kNoDevices}});
  Pod stranger = claiming({"mine"});
  stranger.metadata.uid = "uid-q";
  CHECK(bed.ask(stranger) ==
        Said{{"", "refused: resource claim default/mine is in the process of being allocated"}});
  bed.state.devices.forget("uid-mine");
  CHECK(bed.ask(stranger).at("small") == "fits");
}

TEST_CASE("pod devices: a refusal of extended resources has causes, too") {
  DeviceBed bed;
  const View view(bed.state);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Pod more = pod("p").asks("nvidia.com/gpu", "1").asks("example.com/fpga", "1");
  const auto devices = PodDevices::of({.pod = more, .view = view, .nodes = nodes}, {});
  REQUIRE(devices);
  std::vector<Cause> causes;
  (*devices)->explain(view.find_node("big"), causes);
  REQUIRE_FALSE(causes.empty());
  CHECK(causes[0].kind == "resource");
  CHECK(causes[0].text("resource") == "example.com/fpga");
}

}  // namespace winnow::test
