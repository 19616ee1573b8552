// The columns of the table of nodes, and the list of them.
//
// A column has one value for each row. Code that treats all columns alike uses kNodeColumns. It makes a row,
// copies it, or clears the values of a Node object or of the pods. A new column is a member of NodeColumns
// and a line of kNodeColumns. Its values are set by NodeTable::put_node, by NodeTable::apply, or by `adds` in
// its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cluster/state/footprint.h"

namespace winnow {

/// Properties of a node, one bit each.
enum NodeFlag : std::uint16_t {
  kUnschedulable = 1 << 0,   ///< spec.unschedulable
  kMemoryPressure = 1 << 1,  ///< the last MemoryPressure condition is True
  kDiskPressure = 1 << 2,
  kPidPressure = 1 << 3,
};

/// Conditions that make a node unfit. Each counts as often as the node's list has it. They are stored above
/// the flags, two bits each, in the list's order, and at most kMaxBadConditions of them.
enum BadCondition : std::uint16_t {
  kNotReady = 1,            ///< Ready, and not True
  kNetworkUnavailable = 2,  ///< NetworkUnavailable, and not False
};
inline constexpr unsigned kMaxBadConditions = 4;
/// The condition at a place of that order, or 0.
constexpr unsigned bad_condition(std::uint16_t flags, unsigned place) {
  return flags >> (8 + 2 * place) & 3u;
}

/// The columns, each indexed by NodeId. CPU is in thousandths of a core, other amounts are in whole units.
struct NodeColumns {
  struct PortUse {
    HostPort port;
    std::uint32_t pods = 0;  ///< The number of pods that use it.
    auto operator<=>(const PortUse&) const = default;
  };
  struct DiskUse {
    std::uint32_t disk = kNone;
    std::uint32_t pods = 0;
    auto operator<=>(const DiskUse&) const = default;
  };

  std::vector<std::uint64_t> arrival;  ///< Grows with each added node: the oldest has the lowest.
  std::vector<std::string> name;       ///< "" in a free row.
  std::vector<std::uint16_t> flags;    ///< See NodeFlag and BadCondition.
  std::vector<std::uint8_t> features;  ///< Bits of DeclaredFeature that the node declares.
  std::vector<std::int64_t> allocatable_cpu, allocatable_memory, allocatable_ephemeral, allocatable_pods;
  std::vector<std::uint32_t> taints;             ///< Ids in Dictionaries::taints.
  std::vector<std::uint32_t> avoids;             ///< Ids in Dictionaries::avoids; kNone: it avoids nothing.
  std::vector<std::uint32_t> zone;               ///< Ids in Dictionaries::zones; kNone: the node has no zone.
  std::vector<LabelSet> labels;                  ///< Each symbol holds a reference.
  std::vector<std::vector<Symbol>> image_names;  ///< The same.
  std::vector<std::vector<Symbol>> offers;       ///< The scalar resources in allocatable. The same.
  std::vector<std::int64_t> requested_cpu, requested_memory, requested_ephemeral, pods;  ///< Sums by node.
  std::vector<std::int64_t> nonzero_cpu, nonzero_memory;
  std::vector<std::vector<PortUse>> ports;  ///< Sorted.
  std::vector<std::vector<DiskUse>> disks;  ///< Sorted.
};

/// The source of a column's values. When the source goes, the values are cleared.
enum class ColumnSource : std::uint8_t {
  kRow,   ///< The row itself. The value stays when the Node is replaced.
  kNode,  ///< The Node object.
  kPods,  ///< The footprints of the node's pods.
};

/// A line of the list of columns. A free row has empty_value() in every column.
template <class T>
struct NodeColumn {
  std::string_view name;  ///< The name of the member.
  std::vector<T> NodeColumns::* values;
  ColumnSource source;
  /// The part of a pod's requests that the column sums. Null for every other column.
  std::int64_t PodRequests::* adds = nullptr;

  /// The value of a row without data: kNone for 32-bit ids, else the type's default.
  static T empty_value() {
    if constexpr (std::is_same_v<T, std::uint32_t>)
      return kNone;
    else
      return T();
  }
};

/// All columns, each once.
inline constexpr std::tuple kNodeColumns{
    NodeColumn{"arrival", &NodeColumns::arrival, ColumnSource::kRow},
    NodeColumn{"name", &NodeColumns::name, ColumnSource::kNode},
    NodeColumn{"flags", &NodeColumns::flags, ColumnSource::kNode},
    NodeColumn{"features", &NodeColumns::features, ColumnSource::kNode},
    NodeColumn{"allocatable_cpu", &NodeColumns::allocatable_cpu, ColumnSource::kNode},
    NodeColumn{"allocatable_memory", &NodeColumns::allocatable_memory, ColumnSource::kNode},
    NodeColumn{"allocatable_ephemeral", &NodeColumns::allocatable_ephemeral, ColumnSource::kNode},
    NodeColumn{"allocatable_pods", &NodeColumns::allocatable_pods, ColumnSource::kNode},
    NodeColumn{"taints", &NodeColumns::taints, ColumnSource::kNode},
    NodeColumn{"avoids", &NodeColumns::avoids, ColumnSource::kNode},
    NodeColumn{"zone", &NodeColumns::zone, ColumnSource::kNode},
    NodeColumn{"labels", &NodeColumns::labels, ColumnSource::kNode},
    NodeColumn{"image_names", &NodeColumns::image_names, ColumnSource::kNode},
    NodeColumn{"offers", &NodeColumns::offers, ColumnSource::kNode},
    NodeColumn{"requested_cpu", &NodeColumns::requested_cpu, ColumnSource::kPods, &PodRequests::milli_cpu},
    NodeColumn{"requested_memory", &NodeColumns::requested_memory, ColumnSource::kPods, &PodRequests::memory},
    NodeColumn{"requested_ephemeral", &NodeColumns::requested_ephemeral, ColumnSource::kPods,
               &PodRequests::ephemeral_storage},
    NodeColumn{"pods", &NodeColumns::pods, ColumnSource::kPods},
    NodeColumn{"nonzero_cpu", &NodeColumns::nonzero_cpu, ColumnSource::kPods,
               &PodRequests::nonzero_milli_cpu},
    NodeColumn{"nonzero_memory", &NodeColumns::nonzero_memory, ColumnSource::kPods,
               &PodRequests::nonzero_memory},
    NodeColumn{"ports", &NodeColumns::ports, ColumnSource::kPods},
    NodeColumn{"disks", &NodeColumns::disks, ColumnSource::kPods},
};

static_assert(sizeof(NodeColumns) == std::tuple_size_v<decltype(kNodeColumns)> * sizeof(std::vector<int>),
              "a column is missing in kNodeColumns, or stands there twice");

/// Calls visit(column) for every line of the list.
template <class Visit>
void for_each_column(const Visit& visit) {
  std::apply([&](const auto&... column) { (visit(column), ...); }, kNodeColumns);
}

}  // namespace winnow
