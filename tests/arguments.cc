// Apart from ask.cc, which needs doctest: programs without it ask rules, too.
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cluster/rule/policy_argument.h"
#include "predicates/rules.h"
#include "priorities/resources.h"
#include "priorities/rules.h"
#include "tests/ask.h"

namespace winnow::test {

Arguments arguments_for(const PolicyArgument* argument, const std::string& label) {
  if (argument == nullptr) return {};
  const std::map<std::string_view, Arguments> all = {
      {"labelsPresence", LabelsPresence{{label}, true}},
      {"serviceAffinity", ServiceAffinityLabels{{label}}},
      {"labelPreference", LabelPreference{label, true}},
      {"serviceAntiAffinity", ServiceAntiAffinityLabel{label}},
      {"requestedToCapacityRatioArguments", CapacityRatioShape{{{0, 0}, {100, 10}}, {{"memory", 2}}}}};
  const auto found = all.find(argument->name);
  if (found == all.end()) throw std::logic_error("arguments_for() lacks " + std::string(argument->name));
  return found->second;
}

}  // namespace winnow::test
