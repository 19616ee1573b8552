// The fields of each struct are named in its function `fields`. Structured bindings name them: a struct that
// gets a field does not compile here until the field is named.
#include "cluster/state/pod_record.h"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/state/footprint.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/pod_templates.h"
#include "cluster/state/pool.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

/// A hash of all values.
class Hashed {
 public:
  std::size_t result() const { return seed_; }
  void text(std::string_view text) { number(TextHash{}(text)); }
  void number(std::size_t number) { seed_ = hash_mix(seed_, number); }

 private:
  std::size_t seed_ = 0;
};

/// All values as one text. Values of the same types that differ have different texts.
class Written {
 public:
  /// @param buffer  memory for the text: it grows, and does not shrink.
  explicit Written(std::string& buffer) : buffer_(buffer) {}
  std::string_view result() const { return {buffer_.data(), size_}; }
  void text(std::string_view text) {
    number(text.size());
    make_room(text.size());
    std::memcpy(buffer_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  /// Seven bits in a byte; all but the last have the eighth set.
  void number(std::size_t number) {
    make_room(10);
    for (; number >= 0x80; number >>= 7) buffer_[size_++] = static_cast<char>(number | 0x80);
    buffer_[size_++] = static_cast<char>(number);
  }

 private:
  void make_room(std::size_t more) {
    if (buffer_.size() - size_ < more) buffer_.resize(2 * (size_ + more));
  }

  std::string& buffer_;
  std::size_t size_ = 0;
};

/// Takes in values one after another, field by field.
template <class Output>
class Fields : public Output {
 public:
  using Output::Output;

  template <class... Values>
  void all(const Values&... values) {
    (add(values), ...);
  }

 private:
  void add(std::string_view text) { this->text(text); }
  void add(const std::string& text) { this->text(text); }
  template <class Number>
    requires std::integral<Number> || std::is_enum_v<Number>
  void add(Number number) {
    this->number(static_cast<std::size_t>(number));
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
  void add(const PodResourceClaim& value) {
    const auto& [name, claim, made_from] = value;
    all(name, claim, made_from);
  }
  void add(const HostPort& value) {
    const auto& [address, protocol, port] = value;
    all(address, protocol, port);
  }
  void add(const PodRequests& value) {
    const auto& [cpu, memory, ephemeral, scalars, nonzero_cpu, nonzero_memory] = value;
    all(cpu, memory, ephemeral, scalars, nonzero_cpu, nonzero_memory);
  }
};
using Hasher = Fields<Hashed>;
using Writer = Fields<Written>;

/// Whether the shared part of a spec has the volume.
bool is_shared(const Volume& volume) { return volume.source != VolumeSource::kOther; }

template <class Output>
void put_shared(const PodSpec& spec, Fields<Output>& out) {
  const auto& [node, scheduler, selector, affinity, tolerations, containers, init, ephemeral, spread, volumes,
               gates, overhead, resources, priority, preemption, network, users, claims, group] = spec;
  out.all(scheduler, selector, affinity, tolerations, containers, init, ephemeral, spread, gates, overhead,
          resources, priority, preemption, network, users, claims, group);
  for (const Volume& volume : volumes)
    if (is_shared(volume)) out.all(volume);
}

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

namespace {

/// Whether two lists have the same shared volumes, in the same order.
bool same_shared(const std::vector<Volume>& one, const std::vector<Volume>& other) {
  const auto next = [](auto at, const std::vector<Volume>& list) {
    return std::find_if(at, list.end(), is_shared);
  };
  auto a = next(one.begin(), one), b = next(other.begin(), other);
  for (; a != one.end() && b != other.end(); a = next(a + 1, one), b = next(b + 1, other))
    if (*a != *b) return false;
  return a == one.end() && b == other.end();
}

}  // namespace

SharedSpec::operator PodSpec() const {
  PodSpec shared = spec;
  shared.node_name.clear();
  std::erase_if(shared.volumes, std::not_fn(is_shared));
  return shared;
}

std::size_t SharedSpecHash::operator()(SharedSpec shared) const {
  Hasher hash;
  put_shared(shared.spec, hash);
  return hash.result();
}

std::string_view write_template(const Pod& pod, std::string& buffer) {
  Writer out(buffer);
  const ObjectMeta& meta = pod.metadata;
  out.all(meta.namespace_, meta.labels, meta.deleting);
  const OwnerReference* const owner = controller_of(meta);
  out.all(owner != nullptr);
  if (owner) out.all(owner->api_version, owner->kind, owner->name, owner->uid);
  put_shared(pod.spec, out);
  return out.result();
}

bool SharedSpecEqual::operator()(const PodSpec& one, SharedSpec other) const {
  const auto parts = [](const PodSpec& spec) {
    const auto& [node, scheduler, selector, affinity, tolerations, containers, init, ephemeral, spread,
                 volumes, gates, overhead, resources, priority, preemption, network, users, claims, group] =
        spec;
    return std::tie(scheduler, selector, affinity, tolerations, containers, init, ephemeral, spread, gates,
                    overhead, resources, priority, preemption, network, users, claims, group);
  };
  return parts(one) == parts(other.spec) && same_shared(one.volumes, other.spec.volumes);
}

void GroupMembers::put(Group& group, std::size_t place, PodId pod) {
  group.pods[place] = pod;
  pods_[pod].place = static_cast<std::uint32_t>(place);
}

void GroupMembers::add(GroupId group, PodId pod) {
  if (groups_.size() <= group) groups_.resize(group + 1);
  Group& in = groups_[group];
  in.pods.push_back(pod);
  pods_[pod].place = static_cast<std::uint32_t>(in.pods.size() - 1);
}

// The hole is filled from the end of the list. If it is among those whose first is known, the last of these
// fills it, and leaves a hole that the end of the list fills.
void GroupMembers::remove(GroupId group, PodId pod) {
  Group& in = groups_[group];
  std::size_t hole = pods_[pod].place;
  First first = in.first.load(std::memory_order_relaxed);
  if (first.pod == pod) {
    first = kNotSought;
    in.first.store(first, std::memory_order_relaxed);
  }
  if (hole < first.among) {
    in.first.store({first.pod, --first.among}, std::memory_order_relaxed);
    if (hole != first.among) put(in, hole, in.pods[first.among]);
    hole = first.among;
  }
  if (hole + 1 != in.pods.size()) put(in, hole, in.pods.back());
  in.pods.pop_back();
}

PodId GroupMembers::first(GroupId group) const {
  if (group >= groups_.size()) return kNone;
  const Group& in = groups_[group];
  First first = in.first.load(std::memory_order_relaxed);
  if (first.among == in.pods.size()) return first.pod;
  for (; first.among < in.pods.size(); ++first.among) {
    const PodId pod = in.pods[first.among];
    if (first.pod == kNone || pods_[pod].name < pods_[first.pod].name) first.pod = pod;
  }
  in.first.store(first, std::memory_order_relaxed);
  return first.pod;
}

}  // namespace winnow
