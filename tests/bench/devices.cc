// Time for finding devices on all nodes: 5,000 nodes of 8 devices, half of them allocated.
//
//   winnow_devices [ROUNDS=50]
//
// Processor time of one thread. The first column is the first pass, which evaluates selectors on devices; the
// others are the least, the median and the slowest tenth of those after it.
#include <cstdio>
#include <cstdlib>
#include <format>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/devices/allocator.h"
#include "cluster/devices/device_cache.h"
#include "cluster/devices/inventory.h"
#include "tests/bench/pairs.h"

namespace winnow::bench {
namespace {

constexpr int kNodes = 5000;
constexpr int kDevicesOfNode = 8;
constexpr const char* kDriver = "gpu.example.com";

std::string node_name(int node) { return std::format("node-{:05}.example.com", node); }

ResourceSlice make_slice(int node) {
  ResourceSlice slice;
  slice.metadata.name = std::format("{}-gpu-{:05}", node_name(node), node);
  slice.driver = kDriver;
  slice.pool = {node_name(node), 1, 1};
  slice.node_name = node_name(node);
  for (int i = 0; i < kDevicesOfNode; ++i) {
    Device device;
    device.name = std::format("gpu-{}", i);
    device.attributes = {{"model", std::string(node % 4 == 0 ? "h100" : "a100")},
                         {"numa", std::int64_t{i / 4}},
                         {"rail", std::int64_t{0}},
                         {"driverVersion", DeviceVersion{"550.54.15"}},
                         {"uuid", std::format("GPU-{:08x}-{}", node, i)}};
    device.capacity = {{"memory", {*Quantity::parse("80Gi"), {}}}};
    slice.devices.push_back(std::move(device));
  }
  return slice;
}

/// The devices of even nodes are allocated, or the first half of each node's.
ResourceClaim make_held(int node, int device) {
  ResourceClaim claim;
  claim.metadata.namespace_ = "default";
  claim.metadata.name = std::format("held-{}-{}", node, device);
  claim.metadata.uid = claim.metadata.name;
  claim.allocation.emplace().devices.push_back({.request = "gpu",
                                                .driver = kDriver,
                                                .pool = node_name(node),
                                                .device = std::format("gpu-{}", device)});
  return claim;
}

void fill(DeviceInventory& inventory, bool whole_nodes) {
  for (int node = 0; node < kNodes; ++node) inventory.set(make_slice(node));
  for (int node = 0; node < kNodes; node += whole_nodes ? 2 : 1)
    for (int i = 0; i < (whole_nodes ? kDevicesOfNode : kDevicesOfNode / 2); ++i)
      inventory.set(make_held(node, i));
}

ResourceClaim make_claim(std::int64_t count) {
  ResourceClaim claim;
  claim.metadata.namespace_ = "default";
  claim.metadata.name = "wanted";
  claim.metadata.uid = "wanted";
  DeviceRequestBody body;
  body.device_class_name = "gpu";
  body.selectors = {"device.attributes['gpu.example.com'].model == 'a100'"};
  body.allocation_mode = "ExactCount";
  body.count = count;
  claim.spec.requests.push_back({"gpu", std::move(body), {}});
  if (count > 1) claim.spec.constraints.push_back({{}, "gpu.example.com/rail", {}});
  return claim;
}

void measure(const char* what, const DeviceInventory& inventory, std::int64_t count, int rounds) {
  DeviceClass gpu;
  gpu.metadata.name = "gpu";
  gpu.selectors = {"device.driver == 'gpu.example.com'"};
  const ResourceClaim claim = make_claim(count);
  const ResourceClaim* const claims[] = {&claim};
  std::vector<std::string> names;
  for (int node = 0; node < kNodes; ++node) names.push_back(node_name(node));
  const auto matches = [](const NodeSelector&) -> std::expected<bool, std::string> { return true; };
  DeviceCache cache;
  int fits = 0;
  const auto pass = [&] {
    return cost([&] {
      const DeviceAllocator allocator(claims, inventory, [&](std::string_view) { return &gpu; }, cache,
                                      {.node_timeout = std::chrono::seconds(10)});
      fits = 0;
      for (const std::string& name : names) fits += allocator.fits({name, matches})->fits ? 1 : 0;
    });
  };
  const double first = pass();
  std::vector<double> costs;
  for (int round = 0; round < rounds; ++round) costs.push_back(pass());
  std::printf("%-44s %5d %10.1f %9.1f %9.1f %9.1f\n", what, fits, first / 1e3, percentile(costs, 0) / 1e3,
              median(costs) / 1e3, percentile(costs, 0.9) / 1e3);
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  using namespace winnow::bench;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
  winnow::DeviceInventory whole, half;
  const double filled = cost([&] {
    fill(whole, true);
    fill(half, false);
  });
  std::printf("%d nodes, %d devices; to fill the inventory twice %.1f ms\n", kNodes, kNodes * kDevicesOfNode,
              filled / 1e6);
  std::printf("%-44s %5s %10s %9s %9s %9s  (us)\n", "", "fit", "first", "least", "median", "p90");
  measure("one device, half of the nodes allocated", whole, 1, rounds);
  measure("one device, half of each node allocated", half, 1, rounds);
  measure("eight that match, half of the nodes allocated", whole, 8, rounds);
  measure("eight that match, half of each node allocated", half, 8, rounds);
}
