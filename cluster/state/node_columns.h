// The columns of the table of nodes.
//
// A column has one value for each row. node_column_list.h says of what each has its values.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/state/pool.h"
#include "cluster/state/row_values.h"

namespace winnow {

struct Node;
struct NodeFact;

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

/// The flags of a Node, see NodeFlag and BadCondition; and a Node that has such flags.
std::uint16_t node_flags(const Node& node);
void set_flags(Node& node, std::uint16_t flags);

/// The number of a node without one: not a number.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
/// The number that the node has of a fact; kNoNumber where it has none.
double number_of(const Node& node, const NodeFact& fact);

/// The zone of a node in v1.16, "REGION:\0:ZONE"; "" without either label.
/// @param exact  see NodeTable::NodeTable.
/// Upstream: pkg/util/node/node.go GetZoneKey v1.16.15.
std::string zone_key(const StringMap& labels, bool exact);

}  // namespace winnow
