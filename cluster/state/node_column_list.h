// The list of the columns of the table of nodes: of what each has its values.
//
// A new column is a member of NodeColumns and a line of kNodeColumns, which says all there is
// to it. NodeTable makes, copies, fills and clears rows by that list alone. A column of a Node also needs a
// draw in tests/cluster/state/random_cluster.cc, which does not compile without.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/state/dictionaries.h"
#include "cluster/state/footprint.h"
#include "cluster/state/node_columns.h"
#include "cluster/state/pod_requests.h"

namespace winnow {

// The sources of a column's values. When the source goes, the values are cleared.

/// The row itself. NodeTable sets the value, and it stays when the Node is replaced.
struct OfRow {};

/// The Node object.
template <class Read, class GiveBack>
struct OfNode {
  Read read;           ///< T(const Node&)
  GiveBack give_back;  ///< void(Node&, const T&): read() of that Node is the value again.
};

/// The Node object, by a value that many nodes share. The column has its id in a pool of Dictionaries.
template <class Values, class Read, class GiveBack>
struct InPool {
  Values Dictionaries::* pool;
  /// The value, as `const Value*` of the Node or as std::optional<Value>, of a Node and whether zones are
  /// exact. None: the id is kNone.
  Read read;
  GiveBack give_back;  ///< void(Node&, const Value&)
};

/// The Node object, with more than the column: NodeTable has columns by key beside it.
struct OfNodeByKey {};

/// The footprints of the node's pods, as a sum.
template <class Amount>
struct SumOfPods {
  Amount amount;  ///< std::int64_t(const Footprint&)
};

/// The same, as a sorted list of things in use, each with the number of pods that use it.
template <class Use, class Key>
struct UsesOfPods {
  Key Use::* key;
  std::vector<Key> Footprint::* used;
};

template <class Source>
inline constexpr bool kIsOfNode = std::is_same_v<Source, OfNodeByKey>;
template <class... Parts>
inline constexpr bool kIsOfNode<OfNode<Parts...>> = true;
template <class... Parts>
inline constexpr bool kIsOfNode<InPool<Parts...>> = true;

template <class Source>
inline constexpr bool kIsOfPods = !kIsOfNode<Source> && !std::is_same_v<Source, OfRow>;

/// A line of the list of columns. A free row has empty_value() in every column.
template <class T, class From>
struct NodeColumn {
  using Source = From;

  std::string_view name;  ///< The name of the member.
  std::vector<T> NodeColumns::* values;
  Source source;

  /// The value of a row without data: kNone for 32-bit ids, else the type's default.
  static T empty_value() {
    if constexpr (std::is_same_v<T, std::uint32_t>)
      return kNone;
    else
      return T();
  }
};

template <class Value>
std::optional<Value> unless_empty(Value value) {
  return value.empty() ? std::nullopt : std::optional(std::move(value));
}

/// What a node can give of a resource that is not a scalar one; 0 if it does not say.
constexpr auto allocatable_amount(const char* resource) {
  return OfNode{[resource](const Node& node) { return amount_of(node.status.allocatable, resource); },
                [resource](Node& node, std::int64_t amount) {
                  const bool is_cpu = std::string_view(resource) == "cpu";
                  node.status.allocatable.insert_or_assign(
                      resource, is_cpu ? Quantity::of_millis(amount) : Quantity::of_units(amount));
                }};
}

/// The sum of a part of the pods' requests.
constexpr auto requested_sum(std::int64_t PodRequests::* part) {
  return SumOfPods{[part](const Footprint& pod) { return pod.requests.*part; }};
}

/// All columns, each once.
inline constexpr std::tuple kNodeColumns{
    NodeColumn{"arrival", &NodeColumns::arrival, OfRow{}},
    NodeColumn{"name", &NodeColumns::name,
               OfNode{[](const Node& node) -> const std::string& { return node.metadata.name; },
                      [](Node& node, const std::string& name) { node.metadata.name = name; }}},
    NodeColumn{"flags", &NodeColumns::flags, OfNode{&node_flags, &set_flags}},
    NodeColumn{
        "features", &NodeColumns::features,
        OfNode{[](const Node& node) { return declared_features(node.status.declared_features); },
               [](Node& node, std::uint8_t bits) { node.status.declared_features = feature_names(bits); }}},
    NodeColumn{"allocatable_cpu", &NodeColumns::allocatable_cpu, allocatable_amount("cpu")},
    NodeColumn{"allocatable_memory", &NodeColumns::allocatable_memory, allocatable_amount("memory")},
    NodeColumn{"allocatable_ephemeral", &NodeColumns::allocatable_ephemeral,
               allocatable_amount("ephemeral-storage")},
    NodeColumn{"allocatable_pods", &NodeColumns::allocatable_pods, allocatable_amount("pods")},
    NodeColumn{"taints", &NodeColumns::taints,
               InPool{&Dictionaries::taints, [](const Node& node, bool) { return &node.spec.taints; },
                      [](Node& node, const TaintSet& taints) { node.spec.taints = taints; }}},
    NodeColumn{"avoids", &NodeColumns::avoids,
               InPool{&Dictionaries::avoids,
                      [](const Node& node, bool) {
                        return node.prefer_avoid_pods.empty() ? nullptr : &node.prefer_avoid_pods;
                      },
                      [](Node& node, const AvoidList& list) { node.prefer_avoid_pods = list; }}},
    NodeColumn{"zone", &NodeColumns::zone,
               InPool{&Dictionaries::zones,
                      [](const Node& node, bool exact) {
                        return unless_empty(zone_key(node.metadata.labels, exact));
                      },
                      [](Node&, const std::string&) {}}},  // The labels give it back.
    NodeColumn{"labels", &NodeColumns::labels, OfNodeByKey{}},
    NodeColumn{"image_names", &NodeColumns::image_names, OfNodeByKey{}},
    NodeColumn{"offers", &NodeColumns::offers, OfNodeByKey{}},
    NodeColumn{"requested_cpu", &NodeColumns::requested_cpu, requested_sum(&PodRequests::milli_cpu)},
    NodeColumn{"requested_memory", &NodeColumns::requested_memory, requested_sum(&PodRequests::memory)},
    NodeColumn{"requested_ephemeral", &NodeColumns::requested_ephemeral,
               requested_sum(&PodRequests::ephemeral_storage)},
    NodeColumn{"pods", &NodeColumns::pods, SumOfPods{[](const Footprint&) { return std::int64_t{1}; }}},
    NodeColumn{"nonzero_cpu", &NodeColumns::nonzero_cpu, requested_sum(&PodRequests::nonzero_milli_cpu)},
    NodeColumn{"nonzero_memory", &NodeColumns::nonzero_memory, requested_sum(&PodRequests::nonzero_memory)},
    NodeColumn{"ports", &NodeColumns::ports, UsesOfPods{&NodeColumns::PortUse::port, &Footprint::ports}},
    NodeColumn{"disks", &NodeColumns::disks, UsesOfPods{&NodeColumns::DiskUse::disk, &Footprint::disks}},
};

static_assert(sizeof(NodeColumns) == std::tuple_size_v<decltype(kNodeColumns)> * sizeof(std::vector<int>),
              "a column is missing in kNodeColumns, or stands there twice");

/// Calls visit(column) for every line of the list.
template <class Visit>
void for_each_column(const Visit& visit) {
  std::apply([&](const auto&... column) { (visit(column), ...); }, kNodeColumns);
}

}  // namespace winnow
