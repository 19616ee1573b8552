// Arguments of PodTopologySpread.
#include <format>
#include <utility>

#include "extender/config/plugin_args_parts.h"

namespace winnow {
namespace {

constexpr std::string_view kDefaultings[] = {"System", "List"};
constexpr std::string_view kActions[] = {"DoNotSchedule", "ScheduleAnyway"};

FieldResult check_constraint(const TopologySpreadConstraint& constraint, std::string_view path) {
  if (constraint.max_skew <= 0)
    return invalid(child(path, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)");
  const std::string key = child(path, "topologyKey");
  if (constraint.topology_key.empty()) return required(key, "can not be empty");
  if (auto good = check_label_name(key, constraint.topology_key); !good) return good;
  const std::string action = child(path, "whenUnsatisfiable");
  if (constraint.when_unsatisfiable.empty()) return required(action, "can not be empty");
  if (!is_one_of(kActions, constraint.when_unsatisfiable))
    return unsupported(action, constraint.when_unsatisfiable, kActions);
  if (constraint.label_selector)
    return forbidden(child(path, "labelSelector"),
                     "constraint must not define a selector, as they deduced for each pod");
  return {};
}

FieldResult check_constraints(const std::vector<TopologySpreadConstraint>& constraints,
                              std::string_view path) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const TopologySpreadConstraint& constraint = constraints[i];
    if (auto good = check_constraint(constraint, element(path, i)); !good) return good;
    const auto same = [&](const TopologySpreadConstraint& other) {
      return other.topology_key == constraint.topology_key &&
             other.when_unsatisfiable == constraint.when_unsatisfiable;
    };
    if (std::ranges::any_of(std::span(constraints).first(i), same))
      return duplicate(element(path, i),
                       std::format("{{{}, {}}}", constraint.topology_key, constraint.when_unsatisfiable));
  }
  return {};
}

}  // namespace

PluginArgs read_topology_spread_args(const Reader& r, std::string_view path) {
  PodTopologySpreadArgs args;
  std::string defaulting;
  r.read("defaultConstraints", args.default_constraints);
  r.read("defaultingType", defaulting);
  args.system_defaulted = defaulting.empty() || defaulting == kDefaultings[0];
  const auto check = [&]() -> FieldResult {
    const std::string type = child(path, "defaultingType");
    if (!args.system_defaulted && defaulting != kDefaultings[1])
      return unsupported(type, defaulting, kDefaultings);
    if (args.system_defaulted && !args.default_constraints.empty())
      return invalid(type, "System", "when .defaultConstraints are not empty");
    return check_constraints(args.default_constraints, child(path, "defaultConstraints"));
  };
  FieldResult sound = check();
  return {std::move(args), std::move(sound)};
}

}  // namespace winnow
