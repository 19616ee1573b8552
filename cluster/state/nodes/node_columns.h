// What is known of every node, as columns, and the one list of them.
//
// A column has one value for each row. Code that treats all columns alike goes through kNodeColumns: what
// makes a row, copies it, or clears what came with the Node object or with its pods. A new column is a member
// of NodeColumns and a line of kNodeColumns. NodeTable::put_node fills it, or NodeTable::apply, or `adds` of
// its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cluster/state/nodes/footprint.h"

namespace winnow {

/// What a node says of itself in one bit each.
enum NodeFlag : std::uint16_t {
  kUnschedulable = 1 << 0,   ///< spec.unschedulable
  kMemoryPressure = 1 << 1,  ///< the last MemoryPressure condition is True
  kDiskPressure = 1 << 2,
  kPidPressure = 1 << 3,
};

/// Conditions that speak against a node, each as often as it stands in the list. They are kept behind the
/// flags: two bits each, in the list's order, the first kMaxBadConditions of them.
enum BadCondition : std::uint16_t {
  kNotReady = 1,            ///< Ready, and not True
  kNetworkUnavailable = 2,  ///< NetworkUnavailable, and not False
};
inline constexpr unsigned kMaxBadConditions = 4;
/// The one at a place, or 0.
constexpr unsigned bad_condition(std::uint16_t flags, unsigned place) {
  return flags >> (8 + 2 * place) & 3u;
}

/// The columns. What is known of node i stands at index i of each. Amounts of cpu are in thousandths, others
/// in whole units.
struct NodeColumns {
  struct PortUse {
    HostPort port;
    std::uint32_t pods = 0;  ///< How many pods hold it.
    auto operator<=>(const PortUse&) const = default;
  };
  struct DiskUse {
    std::uint32_t disk = kNone;
    std::uint32_t pods = 0;
    auto operator<=>(const DiskUse&) const = default;
  };

  std::vector<std::uint64_t> arrival;  ///< Grows from node to node: the oldest has the least.
  std::vector<std::string> name;       ///< "" for a free row.
  std::vector<std::uint16_t> flags;    ///< See NodeFlag and BadCondition.
  std::vector<std::uint8_t> features;  ///< Of DeclaredFeature: those that the node declares.
  std::vector<std::int64_t> allocatable_cpu, allocatable_memory, allocatable_ephemeral, allocatable_pods;
  std::vector<std::uint32_t> taints;             ///< Ids in Dictionaries::taints.
  std::vector<std::uint32_t> avoids;             ///< Ids in Dictionaries::avoids; kNone: it avoids nothing.
  std::vector<std::uint32_t> zone;               ///< Ids in Dictionaries::zones; kNone for a node in no zone.
  std::vector<LabelSet> labels;                  ///< Each symbol holds a reference.
  std::vector<std::vector<Symbol>> image_names;  ///< The same.
  std::vector<std::int64_t> requested_cpu, requested_memory, requested_ephemeral, pods;  ///< Of running pods.
  std::vector<std::int64_t> nonzero_cpu, nonzero_memory;
  std::vector<std::vector<PortUse>> ports;  ///< Sorted.
  std::vector<std::vector<DiskUse>> disks;  ///< Sorted.
};

/// Where a column's values come from. They go with it.
enum class ColumnSource : std::uint8_t {
  kRow,   ///< Given with the row. It stays when the Node is replaced.
  kNode,  ///< The Node object.
  kPods,  ///< The footprints of the node's pods.
};

/// One line of the list. Its rows begin, and end, as empty_value() has it.
template <class T>
struct NodeColumn {
  std::string_view name;  ///< The member's.
  std::vector<T> NodeColumns::* values;
  ColumnSource source;
  /// What one pod adds to a column that is the sum of its pods' requests. Null for every other column.
  std::int64_t PodRequests::* adds = nullptr;

  /// A number of 32 bits is an id: kNone where there is none. Everything else begins as its type does.
  static T empty_value() {
    if constexpr (std::is_same_v<T, std::uint32_t>)
      return kNone;
    else
      return T();
  }
};

/// Every column, once.
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
