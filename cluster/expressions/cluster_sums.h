// What expressions read of many nodes at once: amounts, sums by domain, and counts of pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/cel/value.h"
#include "cluster/mutex.h"
#include "cluster/state/node_columns.h"
#include "cluster/state/row_values.h"

namespace winnow {
class View;
struct Pod;
}  // namespace winnow

namespace winnow::expressions {

/// An amount that every node has, as columns.
struct CommonAmount {
  std::string_view name;
  std::vector<std::int64_t> NodeColumns::* allocatable;
  std::vector<std::int64_t> NodeColumns::* requested;
  double unit;  ///< What a column has is divided by it.
};
inline constexpr CommonAmount kCommonAmounts[] = {
    {"cpu", &NodeColumns::allocatable_cpu, &NodeColumns::requested_cpu, 1000},
    {"memory", &NodeColumns::allocatable_memory, &NodeColumns::requested_memory, 1},
    {"ephemeral-storage", &NodeColumns::allocatable_ephemeral, &NodeColumns::requested_ephemeral, 1},
    {"pods", &NodeColumns::allocatable_pods, &NodeColumns::pods, 1},
};

/// Amounts as doubles, cpu in cores, by the name of a resource.
using AmountsByName = std::map<std::string, double, std::less<>>;
/// What a pod requests, as the scheduler sums it.
AmountsByName requests_of(const Pod& pod, Accounting accounting);

/// What the nodes of a domain have together.
struct DomainSums {
  AmountsByName allocatable, requested;
  std::int64_t pods = 0;
};

/// The nodes of one label's values, and what each value's nodes have together.
struct Domains {
  std::vector<std::uint32_t> domain_of;  ///< By NodeId; kNone: the node lacks the label.
  std::vector<DomainSums> sums;
  std::size_t used = 0;  ///< How many values some node has.
};

/// What a question to all nodes has once: sums over nodes, and counts of pods. Thread-safe. The view outlives
/// it.
class ClusterSums {
 public:
  explicit ClusterSums(const View& view) : view_(view) {}
  const View& view() const { return view_; }

  /// Each is worked out at the first call, and lives as long as this.
  const Domains& domains(std::string_view key) const;
  /// The number of matching pods by NodeId; null: the arguments are of a wrong type. The first thousand of a
  /// question are kept: an expression that asks something else of each node has them counted each time.
  std::shared_ptr<const std::vector<std::int32_t>> matching(const cel::Value& labels,
                                                            const cel::Value& namespaces) const;

 private:
  const View& view_;
  mutable Mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const Domains>, std::less<>> domains_
      WINNOW_GUARDED_BY(mutex_);
  mutable std::map<std::string, std::shared_ptr<const std::vector<std::int32_t>>> matching_
      WINNOW_GUARDED_BY(mutex_);
};

/// A map of amounts that somebody else keeps.
class AmountsMap final : public cel::Map {
 public:
  explicit AmountsMap(const AmountsByName& amounts) : amounts_(amounts) {}
  std::size_t size() const override { return amounts_.size(); }
  std::optional<cel::Value> find(const cel::Value& key) const override;
  cel::Value key_at(std::size_t index) const override;

 private:
  const AmountsByName& amounts_;
};

}  // namespace winnow::expressions
