#include "cluster/expressions/objects.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/cel/times.h"

namespace winnow::expressions {
namespace {

using cel::Value;

constexpr double kCores = 1000;

std::string_view text_of(const Value& key) {
  return key.is(cel::Kind::kString) ? key.text() : std::string_view();
}

/// A map of amounts of its own.
class OwnAmounts final : public cel::Map {
 public:
  explicit OwnAmounts(AmountsByName amounts) : amounts_(std::move(amounts)), map_(amounts_) {}
  std::size_t size() const override { return map_.size(); }
  std::optional<Value> find(const Value& key) const override { return map_.find(key); }
  Value key_at(std::size_t index) const override { return map_.key_at(index); }

 private:
  const AmountsByName amounts_;
  const AmountsMap map_;
};

constexpr std::string_view kPodKeys[] = {"metadata", "requests", "spec"};
constexpr std::string_view kNodeKeys[] = {"allocatable", "capacity",  "images", "metadata", "metrics",
                                          "pods",        "requested", "spec",   "status",   "usage"};
/// Those that the object has.
std::vector<std::string_view> keys_in(const cel::Map& object, std::span<const std::string_view> keys) {
  std::vector<std::string_view> found;
  for (const std::string_view key : keys)
    if (object.find(Value::borrowed(key))) found.push_back(key);
  return found;
}

Value count_of(std::int64_t count) { return Value::integer(count); }

/// Of a domain: what its nodes have together, and the pods on them.
class DomainObject final : public cel::Map, public CountsPods {
 public:
  DomainObject(const ClusterSums& sums, const Domains& domains, std::uint32_t domain)
      : sums_(sums), domains_(domains), domain_(domain) {}
  std::size_t size() const override { return kKeys.size(); }
  Value key_at(std::size_t index) const override { return Value::borrowed(kKeys[index]); }
  std::optional<Value> find(const Value& key) const override {
    const std::string_view name = text_of(key);
    // They outlive this object, which may be gone when they are read.
    if (name == "allocatable") return Value::map(new AmountsMap(of().allocatable));
    if (name == "requested") return Value::map(new AmountsMap(of().requested));
    if (name == "pods") return count_of(of().pods);
    return std::nullopt;
  }
  Value pods_matching(const Value& labels, const Value& namespaces) const override {
    const auto counts = sums_.matching(labels, namespaces);
    if (!counts) return cel::no_such_overload();
    std::int64_t count = 0;
    for (std::size_t node = 0; node < domains_.domain_of.size(); ++node)
      if (domains_.domain_of[node] == domain_) count += (*counts)[node];
    return count_of(count);
  }

 private:
  static constexpr std::array<std::string_view, 3> kKeys = {"allocatable", "pods", "requested"};
  const DomainSums& of() const { return domains_.sums[domain_]; }

  const ClusterSums& sums_;
  const Domains& domains_;
  const std::uint32_t domain_;
};

}  // namespace

// The pod.

PodObject::PodObject(const Pod& pod, Accounting accounting)
    : fields_(FieldTree::read(FieldsOf::kPods, pod.fields)),
      requests_(Value::map(new OwnAmounts(requests_of(pod, accounting)))) {}

std::optional<Value> PodObject::find(const Value& key) const {
  if (text_of(key) == "requests") return requests_;
  return fields_->root().find(key);
}

std::size_t PodObject::size() const { return keys_in(*this, kPodKeys).size(); }
Value PodObject::key_at(std::size_t index) const { return Value::borrowed(keys_in(*this, kPodKeys)[index]); }

// The cluster.

std::optional<Value> ClusterObject::find(const Value& key) const {
  if (text_of(key) == "nodes") return count_of(static_cast<std::int64_t>(sums_.view().node_count()));
  if (text_of(key) != "pods") return std::nullopt;
  std::int64_t pods = 0;
  for (const NodeId node : sums_.view().all_nodes()) pods += sums_.view().column(&NodeColumns::pods)[node];
  return count_of(pods);
}

Value ClusterObject::key_at(std::size_t index) const {
  constexpr std::string_view kKeys[] = {"nodes", "pods"};
  return Value::borrowed(kKeys[index]);
}

Value ClusterObject::pods_matching(const Value& labels, const Value& namespaces) const {
  const auto counts = sums_.matching(labels, namespaces);
  if (!counts) return cel::no_such_overload();
  std::int64_t count = 0;
  for (const NodeId node : sums_.view().all_nodes()) count += (*counts)[node];
  return count_of(count);
}

Value ClusterObject::domains(std::string_view key) const {
  return count_of(static_cast<std::int64_t>(sums_.domains(key).used));
}

// A node.

/// What the node has of each resource: allocatable, or requested.
class NodeObject::Amounts final : public cel::Map {
 public:
  Amounts(const NodeObject& node, bool allocatable) : node_(node), allocatable_(allocatable) {
    for (const CommonAmount& one : kCommonAmounts)
      common_.push_back(view().column(allocatable ? one.allocatable : one.requested));
  }
  std::size_t size() const override { return std::size(kCommonAmounts) + scalars().size(); }
  Value key_at(std::size_t index) const override {
    if (index < std::size(kCommonAmounts)) return Value::borrowed(kCommonAmounts[index].name);
    return Value::borrowed(view().text(scalars()[index - std::size(kCommonAmounts)]));
  }
  std::optional<Value> find(const Value& key) const override {
    const std::string_view name = text_of(key);
    for (std::size_t i = 0; i < std::size(kCommonAmounts); ++i)
      if (kCommonAmounts[i].name == name)
        return Value::real(static_cast<double>(common_[i][node_.node_]) / kCommonAmounts[i].unit);
    const Symbol resource = view().symbol(name);
    if (!has_scalar(resource)) return std::nullopt;
    const ScalarColumns scalar = view().scalar(name);
    return Value::real(
        static_cast<double>((allocatable_ ? scalar.allocatable : scalar.requested)[node_.node_]));
  }

 private:
  const View& view() const { return node_.sums_.view(); }
  /// The node offers it; or another node does, and pods of this one request it.
  bool has_scalar(Symbol resource) const {
    if (std::ranges::contains(view().offers(node_.node_), resource)) return true;
    return !allocatable_ && resource != kNone &&
           view().scalar(view().text(resource)).requested[node_.node_] != 0 &&
           std::ranges::contains(view().offered_resources(), resource);
  }
  std::vector<Symbol> scalars() const {
    if (allocatable_) return view().offers(node_.node_);
    std::vector<Symbol> names = view().offered_resources();
    std::erase_if(names, [&](Symbol resource) { return !has_scalar(resource); });
    return names;
  }

  const NodeObject& node_;
  const bool allocatable_;
  std::vector<Column<std::int64_t>> common_;
};

std::string tagged_image(std::string_view name) {
  const std::size_t slash = name.rfind('/'), colon = name.rfind(':');
  const bool has_tag = colon != std::string_view::npos && (slash == std::string_view::npos || slash < colon);
  return has_tag ? "" : std::string(name) + ":latest";
}

/// The images that the node has, by name. A name without a tag that the node does not have means ":latest",
/// as in ImageLocality.
class NodeObject::Images final : public cel::Map {
 public:
  explicit Images(const NodeObject& node) : node_(node) {}
  std::size_t size() const override { return names().size(); }
  Value key_at(std::size_t index) const override { return Value::borrowed(view().text(names()[index])); }
  bool has(const Value& key) const override { return name_of(key) != kNone; }
  std::optional<Value> find(const Value& key) const override {
    const Symbol name = name_of(key);
    if (name == kNone) return std::nullopt;
    const ImageSpread spread = view().image(view().text(name));
    return Value::map(new Image(spread.size, static_cast<std::int64_t>(spread.nodes.size())));
  }

 private:
  class Image final : public cel::Map {
   public:
    Image(std::int64_t size, std::int64_t nodes) : size_(size), nodes_(nodes) {}
    std::size_t size() const override { return 2; }
    Value key_at(std::size_t index) const override { return Value::borrowed(index == 0 ? "nodes" : "size"); }
    std::optional<Value> find(const Value& key) const override {
      if (text_of(key) == "size") return count_of(size_);
      if (text_of(key) == "nodes") return count_of(nodes_);
      return std::nullopt;
    }

   private:
    const std::int64_t size_, nodes_;
  };

  const View& view() const { return node_.sums_.view(); }
  const std::vector<Symbol>& names() const { return view().image_names(node_.node_); }
  /// The name under which the node has the image; kNone: it does not have it.
  Symbol name_of(const Value& key) const {
    const Symbol symbol = there(text_of(key));
    return symbol == kNone ? there(tagged_image(text_of(key))) : symbol;
  }
  Symbol there(std::string_view name) const {
    const Symbol symbol = name.empty() ? kNone : view().symbol(name);
    return symbol != kNone && std::ranges::contains(names(), symbol) ? symbol : kNone;
  }

  const NodeObject& node_;
};

std::optional<CountedUsage> counted_usage(const NodeLoad& load, double assumed) {
  if (!load.usage) return std::nullopt;
  return CountedUsage{.cpu = load.usage->cpu + assumed * static_cast<double>(load.coming_cpu) / kCores,
                      .memory = load.usage->memory + assumed * static_cast<double>(load.coming_memory)};
}

/// How much of the node is used. The node has a measurement when this is asked.
class NodeObject::Usage final : public cel::Map {
 public:
  explicit Usage(const NodeObject& node) : node_(node) {}
  std::size_t size() const override { return kKeys.size(); }
  Value key_at(std::size_t index) const override { return Value::borrowed(kKeys[index]); }
  std::optional<Value> find(const Value& key) const override {
    const std::string_view name = text_of(key);
    const NodeLoad& load = node_.load();
    const auto counted = counted_usage(load, node_.usage_options_.assumed);
    if (!counted) return std::nullopt;
    if (name == "cpu") return Value::real(counted->cpu);
    if (name == "memory") return Value::real(counted->memory);
    if (name == "age") return Value::duration(age_of(*load.usage));
    return std::nullopt;
  }

 private:
  static constexpr std::array<std::string_view, 3> kKeys = {"age", "cpu", "memory"};
  /// Of the end of the measured time. A clock that is ahead makes no measurement one of the future.
  std::int64_t age_of(const NodeUsage& usage) const {
    const cel::Timestamp& now = node_.usage_options_.now;
    const std::int64_t nanos = now.seconds * cel::kSecond + now.nanos;
    return std::max<std::int64_t>(0, nanos - usage.taken);
  }

  const NodeObject& node_;
};

/// The numbers by name that are measured of the node.
class NodeObject::Metrics final : public cel::Map {
 public:
  explicit Metrics(const NodeObject& node) : node_(node) {}
  std::size_t size() const override { return all().size(); }
  Value key_at(std::size_t index) const override {
    return Value::borrowed(std::next(all().begin(), static_cast<std::ptrdiff_t>(index))->first);
  }
  std::optional<Value> find(const Value& key) const override {
    const auto found = all().find(text_of(key));
    if (found == all().end()) return std::nullopt;
    return Value::real(found->second);
  }

 private:
  const MetricsByName& all() const { return node_.load().metrics; }

  const NodeObject& node_;
};

NodeObject::NodeObject(const ClusterSums& sums, const UsageOptions& usage)
    : sums_(sums),
      usage_options_(usage),
      pods_(sums.view().column(&NodeColumns::pods)),
      allocatable_(std::make_unique<const Amounts>(*this, /*allocatable=*/true)),
      requested_(std::make_unique<const Amounts>(*this, /*allocatable=*/false)),
      images_(std::make_unique<const Images>(*this)),
      metrics_(std::make_unique<const Metrics>(*this)),
      usage_(std::make_unique<const Usage>(*this)) {}

NodeObject::~NodeObject() = default;

const NodeLoad& NodeObject::load() const { return sums_.view().load(node_); }

const FieldTree& NodeObject::fields() const { return sums_.view().fields(node_); }

std::optional<Value> NodeObject::kept(std::string_view key) const {
  return fields().root().find(Value::borrowed(key));
}

std::size_t NodeObject::size() const { return keys_in(*this, kNodeKeys).size(); }
Value NodeObject::key_at(std::size_t index) const {
  return Value::borrowed(keys_in(*this, kNodeKeys)[index]);
}

std::optional<Value> NodeObject::find(const Value& key) const {
  const std::string_view name = text_of(key);
  if (name == "allocatable") return Value::borrowed_map(allocatable_.get());
  if (name == "requested") return Value::borrowed_map(requested_.get());
  if (name == "pods") return count_of(pods_[node_]);
  if (name == "usage") return load().usage ? std::optional(Value::borrowed_map(usage_.get())) : std::nullopt;
  if (name == "metrics") return Value::borrowed_map(metrics_.get());
  if (name == "images") return Value::borrowed_map(images_.get());
  if (name == "capacity") {
    const auto status = kept("status");
    return status && status->is(cel::Kind::kMap) ? status->as_map().find(Value::borrowed("capacity"))
                                                 : std::nullopt;
  }
  return fields().root().find(key);
}

Value NodeObject::pods_matching(const Value& labels, const Value& namespaces) const {
  const auto counts = sums_.matching(labels, namespaces);
  return counts ? count_of((*counts)[node_]) : cel::no_such_overload();
}

Value NodeObject::domain(std::string_view key) const {
  const Domains& domains = sums_.domains(key);
  const std::uint32_t domain = domains.domain_of[node_];
  if (domain == kNone) return Value::error("no such key: " + std::string(key));
  return Value::map(new DomainObject(sums_, domains, domain));
}

}  // namespace winnow::expressions
