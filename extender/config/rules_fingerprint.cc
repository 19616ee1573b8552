// FNV-1a over all fields of a set of rules. Structured bindings name every field, so a new field does not
// compile until it is added here.
#include <concepts>
#include <format>
#include <optional>

#include "extender/config/rules_summary.h"

namespace winnow {
namespace {

class Fingerprint {
 public:
  std::string digits() const { return std::format("{:016x}", hash_); }

  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
  }
  template <class Number>
    requires std::integral<Number> || std::is_enum_v<Number>
  void add(Number number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8) add_byte(static_cast<std::uint8_t>(bits));
  }
  template <class Item>
  void add(const std::vector<Item>& items) {
    add(items.size());
    for (const Item& item : items) add(item);
  }
  template <class Item>
  void add(const std::optional<Item>& item) {
    add(item.has_value());
    if (item) add(*item);
  }
  void add(const StringMap& map) {
    add(map.size());
    for (const auto& [key, value] : map) all(key, value);
  }

  void add(std::monostate) {}
  void add(const UtilizationPoint& of) {
    const auto& [utilization, score] = of;
    all(utilization, score);
  }
  void add(const WeighedResource& of) {
    const auto& [name, weight] = of;
    all(name, weight);
  }
  void add(const SelectorRequirement& of) {
    const auto& [key, op, values] = of;
    all(key, op, values);
  }
  void add(const LabelSelector& of) {
    const auto& [labels, expressions] = of;
    all(labels, expressions);
  }
  void add(const NodeSelectorTerm& of) {
    const auto& [expressions, fields] = of;
    all(expressions, fields);
  }
  void add(const NodeSelector& of) {
    const auto& [terms] = of;
    add(terms);
  }
  void add(const PreferredSchedulingTerm& of) {
    const auto& [weight, preference] = of;
    all(weight, preference);
  }
  void add(const NodeAffinity& of) {
    const auto& [required, preferred] = of;
    all(required, preferred);
  }
  void add(const TopologySpreadConstraint& of) {
    const auto& [skew, key, unsatisfiable, selector, domains, affinity, taints, label_keys] = of;
    all(skew, key, unsatisfiable, selector, domains, affinity, taints, label_keys);
  }

  void add(const LabelsPresence& of) {
    const auto& [labels, presence] = of;
    all(labels, presence);
  }
  void add(const ServiceAffinityLabels& of) {
    const auto& [labels] = of;
    add(labels);
  }
  void add(const ServiceAntiAffinityLabel& of) {
    const auto& [label] = of;
    add(label);
  }
  void add(const LabelPreference& of) {
    const auto& [label, presence] = of;
    all(label, presence);
  }
  void add(const CapacityRatioShape& of) {
    const auto& [points, resources] = of;
    all(points, resources);
  }
  void add(const HardPodAffinity& of) {
    const auto& [weight] = of;
    add(weight);
  }
  void add(const AttachLimits& of) {
    const auto& [by_node] = of;
    add(by_node);
  }
  void add(const IgnoredResources& of) {
    const auto& [names] = of;
    add(names);
  }
  void add(const NodeResourcesFitArgs& of) {
    const auto& [ignored, groups, strategy, resources, shape] = of;
    all(ignored, groups, strategy, resources, shape);
  }
  void add(const BalancedAllocationArgs& of) {
    const auto& [resources] = of;
    add(resources);
  }
  void add(const NodeAffinityArgs& of) {
    const auto& [added] = of;
    add(added);
  }
  void add(const PodTopologySpreadArgs& of) {
    const auto& [constraints, system_defaulted] = of;
    all(constraints, system_defaulted);
  }
  void add(const InterPodAffinityArgs& of) {
    const auto& [weight, ignores] = of;
    all(weight, ignores);
  }
  void add(const VolumeBindingArgs& of) {
    const auto& [shape] = of;
    add(shape);
  }
  void add(const NodeLabelArgs& of) {
    const auto& [present, absent, preferred_present, preferred_absent] = of;
    all(present, absent, preferred_present, preferred_absent);
  }
  void add(const ServiceAffinityArgs& of) {
    const auto& [affinity, anti_affinity] = of;
    all(affinity, anti_affinity);
  }
  void add(const ResourceScoreArgs& of) {
    const auto& [resources, shape] = of;
    all(resources, shape);
  }
  void add(const FailsWith& of) {
    const auto& [error, at_pre_score] = of;
    all(error, at_pre_score);
  }
  // For Arguments only. With implicit conversions, an argument type without an overload of its own would
  // recurse here.
  template <std::same_as<Arguments> T>
  void add(const T& of) {
    add(of.index());
    std::visit([this](const auto& arguments) { this->add(arguments); }, of);
  }

  // The rule's function is identified by its name and its arguments.
  void add(const ConfiguredPredicate& of) {
    const auto& [name, bind, arguments, pre_filters, filters, may_skip] = of;
    all(name, arguments, pre_filters, filters, may_skip);
  }
  void add(const ConfiguredPriority& of) {
    const auto& [name, bind, arguments, weight, has_map, scores, may_skip] = of;
    all(name, arguments, weight, has_map, scores, may_skip);
  }
  void add(const RuleSet& of) {
    const auto& [generation, scheduler_name, predicates, priorities, order, checks_all, accounting,
                 exact_zones, others_filter] = of;
    all(generation, scheduler_name, predicates, priorities, order, checks_all, accounting, exact_zones,
        others_filter);
  }

 private:
  template <class... Parts>
  void all(const Parts&... parts) {
    (add(parts), ...);
  }
  void add_byte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

std::string fingerprint_of(const std::vector<const RuleSet*>& sets) {
  Fingerprint fingerprint;
  for (const RuleSet* rules : sets) fingerprint.add(*rules);
  return fingerprint.digits();
}

}  // namespace winnow
