// The objects that expressions see, read from a view when they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/cel/value.h"
#include "cluster/expressions/schema.h"
#include "cluster/fields/field_tree.h"
#include "cluster/mutex.h"
#include "cluster/state/node_columns.h"
#include "cluster/state/row_values.h"
#include "cluster/state/view.h"

namespace winnow {
struct NodeLoad;
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
  /// The number of matching pods by NodeId; null: the arguments are of a wrong type, or too many differ.
  const std::vector<std::int32_t>* matching(const cel::Value& labels, const cel::Value& namespaces) const;

 private:
  const View& view_;
  mutable Mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const Domains>, std::less<>> domains_
      WINNOW_GUARDED_BY(mutex_);
  mutable std::map<std::string, std::unique_ptr<const std::vector<std::int32_t>>> matching_
      WINNOW_GUARDED_BY(mutex_);
};

/// The variable `pod`. The pod outlives it.
class PodObject final : public cel::Map {
 public:
  PodObject(const Pod& pod, Accounting accounting);
  std::size_t size() const override { return 3; }
  std::optional<cel::Value> find(const cel::Value& key) const override;
  cel::Value key_at(std::size_t index) const override;

 private:
  std::shared_ptr<const FieldTree> fields_;
  cel::Value requests_;
};

/// The variable `cluster`. The sums outlive it.
class ClusterObject final : public cel::Map, public CountsPods, public CountsDomains {
 public:
  explicit ClusterObject(const ClusterSums& sums) : sums_(sums) {}
  std::size_t size() const override { return 2; }
  std::optional<cel::Value> find(const cel::Value& key) const override;
  cel::Value key_at(std::size_t index) const override;
  cel::Value pods_matching(const cel::Value& labels, const cel::Value& namespaces) const override;
  cel::Value domains(std::string_view key) const override;

 private:
  const ClusterSums& sums_;
};

/// How node.usage is told.
struct UsageOptions {
  /// The share of the requests of pods on their way that counts as used. See NodeLoad.
  double assumed = 1;
  cel::Timestamp now = {};  ///< For node.usage.age.
};

/// How much of a node is used, with what is on its way. @return nothing: it is not known.
struct CountedUsage {
  double cpu = 0, memory = 0;  ///< Cores and bytes.
};
std::optional<CountedUsage> counted_usage(const NodeLoad& load, double assumed);

/// The variable `node`: one node at a time. Used by one thread. The sums outlive it, and it outlives the
/// values that it gives.
class NodeObject final : public cel::Map, public CountsPods, public HasDomains {
 public:
  NodeObject(const ClusterSums& sums, const UsageOptions& usage);
  ~NodeObject() override;
  void turn_to(NodeId node) { node_ = node; }

  std::size_t size() const override;
  std::optional<cel::Value> find(const cel::Value& key) const override;
  cel::Value key_at(std::size_t index) const override;
  cel::Value pods_matching(const cel::Value& labels, const cel::Value& namespaces) const override;
  cel::Value domain(std::string_view key) const override;

 private:
  class Amounts;
  class Images;
  class Metrics;
  class Usage;
  const FieldTree& fields() const;
  const NodeLoad& load() const;
  std::optional<cel::Value> kept(std::string_view key) const;

  const ClusterSums& sums_;
  const UsageOptions usage_options_;
  NodeId node_ = 0;
  const Column<std::int64_t> pods_;
  std::unique_ptr<const Amounts> allocatable_, requested_;
  std::unique_ptr<const Images> images_;
  std::unique_ptr<const Metrics> metrics_;
  std::unique_ptr<const Usage> usage_;
};

}  // namespace winnow::expressions
