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
#include "cluster/expressions/cluster_sums.h"
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

/// The variable `pod`. The pod outlives it.
class PodObject final : public cel::Map {
 public:
  PodObject(const Pod& pod, Accounting accounting);
  std::size_t size() const override;
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

/// An image's name with the tag that it means: "nginx:latest" for "nginx"; "": it has a tag.
std::string tagged_image(std::string_view name);

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
