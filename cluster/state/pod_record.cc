// The fields of each struct are named in its function `fields`. Structured bindings name them: a struct that
// gets a field does not compile here until the field is named.
#include "cluster/state/pod_record.h"

#include <algorithm>
#include <concepts>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/state/footprint.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/pool.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

/// Takes in values one after another.
class Hasher {
 public:
  std::size_t result() const { return seed_; }

  template <class... Values>
  void all(const Values&... values) {
    (add(values), ...);
  }

 private:
  void add(std::string_view text) { seed_ = hash_mix(seed_, TextHash{}(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  template <class Number>
    requires std::integral<Number> || std::is_enum_v<Number>
  void add(Number number) {
    seed_ = hash_mix(seed_, static_cast<std::size_t>(number));
  }
  void add(const Quantity& amount) {
    for (const std::uint64_t part : amount.digits()) add(part);
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add(values.size());
    for (const Value& value : values) add(value);
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class Key, class Value>
  void add(const std::pair<Key, Value>& pair) {
    all(pair.first, pair.second);
  }
  template <class Key, class Value, class Less>
  void add(const std::map<Key, Value, Less>& map) {
    add(map.size());
    for (const auto& [key, value] : map) all(key, value);
  }

  void add(const ResourceRequirements& value) {
    const auto& [requests, limits] = value;
    all(requests, limits);
  }
  void add(const ContainerPort& value) {
    const auto& [host_port, container_port, protocol, host_ip] = value;
    all(host_port, container_port, protocol, host_ip);
  }
  void add(const Container& value) {
    const auto& [name, image, ports, resources, restart_policy, restarts_all, mounts_with_options] = value;
    all(name, image, ports, resources, restart_policy, restarts_all, mounts_with_options);
  }
  void add(const Toleration& value) {
    const auto& [key, op, wanted, effect, seconds] = value;
    all(key, op, wanted, effect, seconds);
  }
  void add(const SelectorRequirement& value) {
    const auto& [key, op, values] = value;
    all(key, op, values);
  }
  void add(const LabelSelector& value) {
    const auto& [labels, expressions] = value;
    all(labels, expressions);
  }
  void add(const NodeSelectorTerm& value) {
    const auto& [expressions, fields] = value;
    all(expressions, fields);
  }
  void add(const NodeSelector& value) {
    const auto& [terms] = value;
    all(terms);
  }
  void add(const PreferredSchedulingTerm& value) {
    const auto& [weight, preference] = value;
    all(weight, preference);
  }
  void add(const NodeAffinity& value) {
    const auto& [required, preferred] = value;
    all(required, preferred);
  }
  void add(const PodAffinityTerm& value) {
    const auto& [selector, namespaces, namespace_selector, key, labels, other_labels] = value;
    all(selector, namespaces, namespace_selector, key, labels, other_labels);
  }
  void add(const WeightedPodAffinityTerm& value) {
    const auto& [weight, term] = value;
    all(weight, term);
  }
  void add(const PodAffinity& value) {
    const auto& [required, preferred] = value;
    all(required, preferred);
  }
  void add(const Affinity& value) {
    const auto& [nodes, pods, anti] = value;
    all(nodes, pods, anti);
  }
  void add(const TopologySpreadConstraint& value) {
    const auto& [skew, key, when, selector, domains, affinity_policy, taints_policy, labels] = value;
    all(skew, key, when, selector, domains, affinity_policy, taints_policy, labels);
  }
  void add(const Volume& value) {
    const auto& [name, source, id, pool, monitors, storage_class, uri, kind, read_only] = value;
    all(name, source, id, pool, monitors, storage_class, uri, kind, read_only);
  }
  void add(const HostPort& value) {
    const auto& [address, protocol, port] = value;
    all(address, protocol, port);
  }
  void add(const PodRequests& value) {
    const auto& [cpu, memory, ephemeral, scalars, nonzero_cpu, nonzero_memory] = value;
    all(cpu, memory, ephemeral, scalars, nonzero_cpu, nonzero_memory);
  }

  std::size_t seed_ = 0;
};

}  // namespace

std::size_t PodSpecHash::operator()(const PodSpec& spec) const {
  const auto& [node, scheduler, selector, affinity, tolerations, containers, init, ephemeral, spread, volumes,
               gates, overhead, resources, priority, preemption, network, users, claims, group] = spec;
  Hasher hash;
  hash.all(node, scheduler, selector, affinity, tolerations, containers, init, ephemeral, spread, volumes,
           gates, overhead, resources, priority, preemption, network, users, claims, group);
  return hash.result();
}

std::size_t FootprintHash::operator()(const Footprint& footprint) const {
  const auto& [requests, scalars, ports, disks, attachables, claims] = footprint;
  Hasher hash;
  hash.all(requests, scalars, ports, disks, attachables, claims);
  return hash.result();
}

std::size_t OwnerHash::operator()(const OwnerReference& owner) const {
  const auto& [version, kind, name, uid, controller] = owner;
  Hasher hash;
  hash.all(version, kind, name, uid, controller);
  return hash.result();
}

std::vector<PodId>::iterator GroupMembers::place_of(std::vector<PodId>& members, PodId pod) {
  return std::ranges::lower_bound(members, pods_[pod].name, {},
                                  [&](PodId member) -> const std::string& { return pods_[member].name; });
}

void GroupMembers::add(GroupId group, PodId pod) {
  if (members_.size() <= group) members_.resize(group + 1);
  std::vector<PodId>& members = members_[group];
  members.insert(place_of(members, pod), pod);
}

void GroupMembers::remove(GroupId group, PodId pod) {
  std::vector<PodId>& members = members_[group];
  members.erase(place_of(members, pod));
}

}  // namespace winnow
