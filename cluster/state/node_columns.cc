#include "cluster/state/node_columns.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "cluster/api/generation.h"
#include "cluster/api/node.h"

namespace winnow {
namespace {

std::string_view label(const StringMap& labels, std::string_view old_key, std::string_view new_key,
                       bool exact) {
  if (const auto it = labels.find(old_key); it != labels.end()) return it->second;
  if (exact) return {};
  const auto it = labels.find(new_key);
  return it == labels.end() ? std::string_view() : std::string_view(it->second);
}

/// Conditions whose flags are those of the node, in their order.
std::vector<NodeCondition> conditions_of(std::uint16_t flags) {
  std::vector<NodeCondition> conditions;
  for (unsigned place = 0; place < kMaxBadConditions; ++place) {
    const unsigned bad = bad_condition(flags, place);
    if (bad == kNotReady) conditions.push_back({"Ready", "False"});
    if (bad == kNetworkUnavailable) conditions.push_back({"NetworkUnavailable", "True"});
  }
  constexpr std::pair<NodeFlag, const char*> kPressures[] = {
      {kMemoryPressure, "MemoryPressure"}, {kDiskPressure, "DiskPressure"}, {kPidPressure, "PIDPressure"}};
  for (const auto& [flag, type] : kPressures)
    if (flags & flag) conditions.push_back({type, "True"});
  return conditions;
}

}  // namespace

std::uint16_t node_flags(const Node& node) {
  unsigned flags = node.spec.unschedulable ? unsigned{kUnschedulable} : 0u;
  unsigned bad = 0;
  const auto set = [&](NodeFlag flag, bool on) { flags = on ? flags | flag : flags & ~unsigned{flag}; };
  const auto add = [&](BadCondition condition) {
    if (bad < kMaxBadConditions) flags |= unsigned{condition} << (8 + 2 * bad++);
  };
  for (const NodeCondition& condition : node.status.conditions) {
    // Each Ready and NetworkUnavailable condition counts; of a pressure condition, the last one.
    if (condition.type == "Ready" && condition.status != "True") add(kNotReady);
    if (condition.type == "NetworkUnavailable" && condition.status != "False") add(kNetworkUnavailable);
    if (condition.type == "MemoryPressure") set(kMemoryPressure, condition.status == "True");
    if (condition.type == "DiskPressure") set(kDiskPressure, condition.status == "True");
    if (condition.type == "PIDPressure") set(kPidPressure, condition.status == "True");
  }
  return static_cast<std::uint16_t>(flags);
}

void set_flags(Node& node, std::uint16_t flags) {
  node.spec.unschedulable = (flags & kUnschedulable) != 0;
  node.status.conditions = conditions_of(flags);
}

double number_of(const Node& node, const NodeFact& fact) {
  const StringMap& texts =
      fact.from == NodeFact::From::kLabel ? node.metadata.labels : node.metadata.annotations;
  const auto found = texts.find(fact.key);
  if (found == texts.end()) return kNoNumber;
  const std::string_view text = found->second;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(number) ? number : kNoNumber;
}

std::string zone_key(const StringMap& labels, bool exact) {
  const std::string_view region =
      label(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region", exact);
  const std::string_view zone =
      label(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", exact);
  if (region.empty() && zone.empty()) return {};
  constexpr std::string_view kBetween(":\0:", 3);
  std::string key;
  key.reserve(region.size() + kBetween.size() + zone.size());
  key.append(region).append(kBetween).append(zone);
  return key;
}

}  // namespace winnow
