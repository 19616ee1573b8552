// What the pods of each node request, before and after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/state/state.h"

namespace winnow {

/// Sums of requests and of what nodes offer. CPU in thousandths of a core, memory in bytes.
struct Amounts {
  std::int64_t cpu = 0, memory = 0, pods = 0;
  bool operator==(const Amounts&) const = default;
  Amounts& operator+=(const Amounts& other);
};

struct NodeUsage {
  std::string name;
  std::string zone;  ///< The label topology.kubernetes.io/zone, or its beta form; "" without one.
  Amounts allocatable;
  /// Of a zone whose nodes come or go: what its nodes offered before.
  std::optional<Amounts> allocatable_before = {};
  std::optional<Amounts> before;  ///< Nothing: the node came later.
  std::optional<Amounts> after;   ///< Nothing: the node is gone.
};

/// Numbers the nodes of a simulation, also those that come or go meanwhile.
class UsageBook {
 public:
  /// Notes all nodes of the state as they are before anything happens.
  explicit UsageBook(const State& state);
  /// The number of a node; one that is not known yet is added.
  std::uint32_t number_of(const State& state, std::string_view node);
  /// Notes all nodes as they are now, and gives the list away.
  std::vector<NodeUsage> finish(const State& state);

 private:
  std::uint32_t add(const State& state, NodeId id);

  std::vector<NodeUsage> nodes_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Nodes by zone, in order of zone; those without one are left out. `name` is empty. `before` and `after` are
/// sums over the nodes that are there at that time, and so are `allocatable_before` and `allocatable`.
std::vector<NodeUsage> by_zone(const std::vector<NodeUsage>& nodes);

}  // namespace winnow
