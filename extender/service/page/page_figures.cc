#include "extender/service/page/page_figures.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/devices/inventory.h"
#include "cluster/state/held_places.h"
#include "cluster/state/name_order.h"
#include "cluster/state/state.h"
#include "cluster/text/json.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

constexpr std::size_t kMostPods = 500;
constexpr std::size_t kMostHeld = 50;
constexpr std::size_t kMostDevices = 256;
constexpr std::size_t kMostFound = 50;
constexpr std::size_t kMostKept = 20 * kMostFound;  ///< While pods are looked at.
constexpr std::int64_t kMostPerMille = 9999;

void append_text(std::string& out, std::string_view key, std::string_view value) {
  out += std::format("\"{}\":", key);
  append_quoted(out, value);
}

/// The zone as people write it: "REGION/ZONE", or what there is of it.
std::string zone_of(const State& state, NodeId node) {
  const std::uint32_t id = state.nodes().zone[node];
  if (id == kNone) return {};
  std::string zone = state.names().zones[id];
  const std::size_t between = zone.find(std::string_view(":\0:", 3));
  if (between == std::string::npos) return zone;
  const std::string region = zone.substr(0, between), rest = zone.substr(between + 3);
  return region.empty() || rest.starts_with(region) ? rest : rest.empty() ? region : region + "/" + rest;
}

int flags_of(const State& state, NodeId node) {
  const std::uint16_t flags = state.nodes().flags[node];
  bool is_ready = true;
  for (unsigned place = 0; place < kMaxBadConditions; ++place)
    is_ready = is_ready && bad_condition(flags, place) == 0;
  return ((flags & kUnschedulable) != 0 ? 1 : 0) + (is_ready ? 0 : 2);
}

struct Ordered {
  std::uint32_t zone;  ///< Its index in Order::zones.
  NodeId node;
};

/// All nodes, by zone and name.
struct Order {
  std::vector<std::string> zones;  ///< In order; "" comes last.
  std::vector<Ordered> nodes;
};

Order in_order(const State& state) {
  const NodeTable& nodes = state.nodes();
  Order order;
  std::map<std::uint32_t, std::string> zones;  // By id: two may have the same text.
  for (NodeId node = 0; node < nodes.capacity(); ++node) {
    if (nodes.name[node].empty()) continue;
    const std::uint32_t id = nodes.zone[node];
    order.nodes.push_back({id, node});
    if (!zones.contains(id)) zones.emplace(id, zone_of(state, node));
  }
  for (const auto& [id, zone] : zones) order.zones.push_back(zone);
  const auto place = [](const std::string& zone) { return std::pair(zone.empty(), std::string_view(zone)); };
  std::ranges::sort(order.zones, {}, place);
  order.zones.erase(std::ranges::unique(order.zones).begin(), order.zones.end());
  std::map<std::uint32_t, std::uint32_t> places;  // By id.
  for (const auto& [id, zone] : zones)
    places[id] = static_cast<std::uint32_t>(std::ranges::lower_bound(order.zones, place(zone), {}, place) -
                                            order.zones.begin());
  for (Ordered& one : order.nodes) one.zone = places[one.zone];
  sort_by_name(
      order.nodes, [](const Ordered& one) { return one.zone; },
      [&](const Ordered& one) { return std::string_view(nodes.name[one.node]); });
  return order;
}

std::string set_of(const State& state, const Order& order) {
  std::vector<std::size_t> zones;
  for (const std::string& zone : order.zones) zones.push_back(TextHash{}(zone));
  std::size_t hash = order.nodes.size();
  for (const Ordered& one : order.nodes)
    hash = hash_mix(hash, hash_mix(zones[one.zone], TextHash{}(state.nodes().name[one.node])));
  return std::format("{:x}", hash);
}

/// What a node offers of a resource, and what its pods request of it.
struct Amounts {
  std::int64_t allocatable = 0;
  std::int64_t requested = 0;

  std::int64_t per_mille() const {
    if (allocatable <= 0) return -1;
    const double share = 1000.0 * static_cast<double>(requested) / static_cast<double>(allocatable);
    return std::min(kMostPerMille, static_cast<std::int64_t>(share));
  }
};

using AmountsOf = std::function<Amounts(NodeId)>;

/// The four that every node has, by the names that pods request them by.
std::vector<std::pair<std::string, AmountsOf>> common_resources(const State& state) {
  const NodeTable& n = state.nodes();
  return {
      {"cpu", [&n](NodeId i) { return Amounts{n.allocatable_cpu[i], n.requested_cpu[i]}; }},
      {"memory", [&n](NodeId i) { return Amounts{n.allocatable_memory[i], n.requested_memory[i]}; }},
      {"pods", [&n](NodeId i) { return Amounts{n.allocatable_pods[i], n.pods[i]}; }},
      {"ephemeral-storage",
       [&n](NodeId i) { return Amounts{n.allocatable_ephemeral[i], n.requested_ephemeral[i]}; }},
  };
}

/// All resources that some node offers.
std::vector<std::pair<std::string, AmountsOf>> resources_of(const State& state) {
  auto resources = common_resources(state);
  const std::size_t common = resources.size();
  for (const Symbol symbol : state.nodes().offered_resources()) {
    const NodeTable::Scalar* const column = state.nodes().scalar(symbol);
    resources.emplace_back(state.names().symbols[symbol], [column](NodeId i) {
      return Amounts{column->allocatable[i], column->requested[i]};
    });
  }
  std::ranges::sort(resources.begin() + static_cast<std::ptrdiff_t>(common), resources.end(), {},
                    [](const auto& one) { return one.first; });
  return resources;
}

std::string full_name(const State& state, const PodRecord& pod) {
  return std::string(state.pod_namespace(pod)) + "/" + pod.name;
}

template <class Items, class Append>
void append_list(std::string& out, std::string_view key, const Items& items, const Append& append) {
  out += std::format("\"{}\":[", key);
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    append(item);
  }
  out += ']';
}

void append_zones(std::string& out, const Order& order) {
  std::vector<std::pair<std::string_view, std::size_t>> zones;
  for (const std::string& zone : order.zones) zones.emplace_back(zone, 0);
  for (const Ordered& one : order.nodes) ++zones[one.zone].second;
  append_list(out, "zones", zones, [&](const auto& zone) {
    out += '{';
    append_text(out, "name", zone.first);
    out += std::format(",\"nodes\":{}}}", zone.second);
  });
}

void append_labels(std::string& out, const State& state, NodeId node) {
  out += "\"labels\":{";
  bool first = true;
  for (const auto& [key, value] : state.nodes().labels[node]) {
    if (!first) out += ',';
    first = false;
    append_quoted(out, state.names().symbols[key]);
    out += ':';
    append_quoted(out, state.names().symbols[value]);
  }
  out += "},";
}

void append_taints(std::string& out, const State& state, NodeId node) {
  const std::uint32_t id = state.nodes().taints[node];
  append_list(out, "taints", id == kNone ? TaintSet() : state.names().taints[id], [&](const Taint& taint) {
    append_quoted(out, taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect);
  });
}

bool is_assumed(const State& state, const AssumedPods& assumed, PodId id) {
  const PodRecord& pod = state.pod(id);
  const AssumedPods::Entry* const entry = assumed.find(std::string(state.pod_namespace(pod)), pod.name);
  return entry != nullptr && entry->uid == pod.uid;
}

void append_held(std::string& out, const State& state, const AssumedPods& assumed, const HeldClocks& now,
                 std::string_view node) {
  std::vector<HeldPlace> places = held_places(state, &assumed, now);
  std::erase_if(places, [&](const HeldPlace& place) { return place.node != node; });
  if (places.size() > kMostHeld) places.resize(kMostHeld);
  append_list(out, "held", places, [&](const HeldPlace& place) { append_quoted(out, to_text(place)); });
}

void append_pods(std::string& out, const State& state, const AssumedPods& assumed, NodeId node) {
  std::vector<PodId> pods;
  for (const PodId id : state.pods_on(node))
    if (!is_assumed(state, assumed, id)) pods.push_back(id);
  const std::size_t count = pods.size();
  std::ranges::sort(pods, {}, [&](PodId id) {
    const PodRequests& requests = state.footprint(state.pod(id)).requests;
    return std::tuple(-requests.milli_cpu, -requests.memory, full_name(state, state.pod(id)));
  });
  if (pods.size() > kMostPods) pods.resize(kMostPods);
  out += "\"pods\":[";
  for (std::size_t i = 0; i < pods.size() && out.size() < kNameBytes; ++i) {
    const PodRecord& pod = state.pod(pods[i]);
    const PodRequests& requests = state.footprint(pod).requests;
    out += i > 0 ? ",{" : "{";
    append_text(out, "name", full_name(state, pod));
    out += std::format(",\"cpu\":{},\"memory\":{},\"priority\":{}}}", requests.milli_cpu, requests.memory,
                       state.spec(pod).priority.value_or(0));
  }
  out += std::format("],\"of\":{}", count);
}

void append_holder(std::string& out, const DeviceInventory& inventory, const Holding& holding) {
  out += '{';
  append_text(out, "claim", holding.namespace_ + "/" + holding.name);
  std::vector<std::string> pods;
  if (const ResourceClaim* const claim = inventory.find_claim(holding.namespace_, holding.name))
    for (const ClaimConsumer& one : claim->reserved_for)
      if (one.resource == "pods" && pods.size() < kMostHeld)
        pods.push_back(holding.namespace_ + "/" + one.name);
  out += ',';
  append_list(out, "pods", pods, [&](const std::string& pod) { append_quoted(out, pod); });
  out += '}';
}

/// What a claim that tolerates no taint finds.
std::string_view state_of(const PublishedDevice& device, std::span<const DeviceHolder> holders,
                          bool is_published) {
  if (!holders.empty()) return "allocated";
  if (!is_published) return "outdated";
  return device.tainted ? "tainted" : "free";
}

/// The devices of slices that name the node. Those of a pool that is invalid, and of older generations,
/// cannot be had.
void append_devices(std::string& out, const DeviceInventory& inventory, std::string_view node) {
  std::size_t count = 0;
  out += "\"devices\":[";
  for (const NodePool& pool : inventory.pools_of_node(node)) {
    const PoolContent& content = pool.pool->whole(inventory.held()).content;
    for (const PublishedSlice* slice : pool.slices) {
      const bool is_published = content.is_valid && std::ranges::contains(content.slices, slice);
      for (const PublishedDevice& device : slice->devices) {
        if (++count > kMostDevices || out.size() > kNameBytes) continue;
        const auto holders = inventory.holders(pool.pool->driver(), pool.pool->name(), device.device->name);
        out += count > 1 ? ",{" : "{";
        append_text(out, "name", pool.pool->text() + "/" + device.device->name);
        out += ',';
        append_text(out, "state", state_of(device, holders, is_published));
        out += ',';
        append_list(out, "heldBy", holders.first(std::min(holders.size(), kMostHeld)),
                    [&](const DeviceHolder& one) { append_holder(out, inventory, *one.holding); });
        out += '}';
      }
    }
  }
  out += std::format("],\"deviceCount\":{}", count);
}

}  // namespace

std::string overview_json(const State& state, std::string_view resource) {
  const Order order = in_order(state);
  const auto resources = resources_of(state);
  auto chosen = std::ranges::find(resources, resource, [](const auto& one) { return one.first; });
  if (chosen == resources.end()) chosen = resources.begin();
  std::string out = std::format(R"({{"nodes":{},"pods":{},"pending":{},)", state.node_count(),
                                state.pod_count() - state.pending_count(), state.pending_count());
  append_list(out, "resources", resources, [&](const auto& one) { append_quoted(out, one.first); });
  out += ',';
  append_text(out, "resource", chosen->first);
  out += ',';
  append_text(out, "set", set_of(state, order));
  out += ',';
  append_zones(out, order);
  out += ',';
  append_list(out, "used", order.nodes,
              [&](const Ordered& one) { out += std::to_string(chosen->second(one.node).per_mille()); });
  out += ',';
  append_list(out, "flags", order.nodes,
              [&](const Ordered& one) { out += std::to_string(flags_of(state, one.node)); });
  return out + "}";
}

std::string node_names_json(const State& state, std::size_t from) {
  const Order order = in_order(state);
  from = std::min(from, order.nodes.size());
  std::string out = "{";
  append_text(out, "set", set_of(state, order));
  out += std::format(",\"from\":{},\"names\":[", from);
  for (std::size_t i = from; i < order.nodes.size() && out.size() < kNameBytes; ++i) {
    if (i > from) out += ',';
    append_quoted(out, state.nodes().name[order.nodes[i].node]);
  }
  return out + "]}";
}

std::optional<std::string> node_json(const State& state, const AssumedPods& assumed, const HeldClocks& now,
                                     std::string_view name) {
  const NodeId node = state.find_node(name);
  if (node == kNone) return std::nullopt;
  std::string out = "{";
  append_text(out, "name", name);
  out += ',';
  append_text(out, "zone", zone_of(state, node));
  out += std::format(",\"flags\":{},", flags_of(state, node));
  append_labels(out, state, node);
  append_taints(out, state, node);
  out += ',';
  append_list(out, "resources", resources_of(state), [&](const auto& one) {
    const Amounts amounts = one.second(node);
    out += '{';
    append_text(out, "name", one.first);
    out += std::format(",\"allocatable\":{},\"requested\":{}}}", amounts.allocatable, amounts.requested);
  });
  out += ',';
  append_held(out, state, assumed, now, name);
  out += ',';
  append_devices(out, state.devices, name);
  out += ',';
  append_pods(out, state, assumed, node);
  return out + "}";
}

std::string found_pods_json(const State& state, const AssumedPods& assumed, std::string_view text) {
  /// 0: the name begins with the text; 1: the whole does; 2: it is somewhere in it.
  std::vector<std::pair<int, std::pair<std::string, PodId>>> found;
  const auto keep_best = [&found] {
    const std::size_t kept = std::min(found.size(), kMostFound);
    std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept));
    found.resize(kept);
  };
  std::size_t count = 0;
  for (PodId id = 0; id < state.pod_capacity(); ++id) {
    const PodRecord& pod = state.pod(id);
    if (pod.name.empty()) continue;
    const bool in_name = pod.name.contains(text);
    if (!in_name && !state.pod_namespace(pod).contains(text) && !text.contains('/')) continue;
    std::string whole = full_name(state, pod);
    if (!whole.contains(text)) continue;
    const int rank = pod.name.starts_with(text) ? 0 : whole.starts_with(text) ? 1 : 2;
    found.push_back({rank, {std::move(whole), id}});
    ++count;
    if (found.size() >= kMostKept) keep_best();  // One letter is in the names of all pods.
  }
  keep_best();
  std::string out = "{\"pods\":[";
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [name, id] = found[i].second;
    if (i > 0) out += ',';
    out += '{';
    append_text(out, "name", name);
    out += ',';
    const bool is_there = state.pod(id).assigned && !is_assumed(state, assumed, id);
    append_text(out, "node", is_there ? state.node_name_of(id) : "");
    out += '}';
  }
  return out + std::format("],\"more\":{}}}", count > found.size());
}

}  // namespace winnow
