// Which rule makes the check of a filter plugin, and which of the plugins kube-scheduler preempts by.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/rule/default_profile.h"
#include "extender/config/gates.h"
#include "extender/config/plugin_table.h"
#include "extender/config/rules.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"

namespace winnow::test::plugin_checks_test {
namespace {

using Names = std::vector<std::string_view>;

RuleSet policy(const std::string& predicates) {
  return std::move(
      load_rules("f", "kind: Policy\napiVersion: v1\npriorities: []\npredicates: [" + predicates + "]\n", {})
          .value()
          .sets.front());
}

/// The rule that makes the plugin's check; "" if there is none.
std::string made_by(const RuleSet& rules, std::string_view plugin) {
  const ConfiguredPredicate* const rule = find_check(rules, *predicates::find_plugin(plugin));
  return rule == nullptr ? "" : rule->name;
}

TEST_SUITE("plugin checks") {
  TEST_CASE("with best kube-scheduler preempts by resources and by host ports") {
    Names names;
    for (const auto& plugin : predicates::plugins())
      if (preempts_in_best(plugin)) names.push_back(plugin.name);
    CHECK(names == Names{"NodePorts", "NodeResourcesFit"});
  }

  TEST_CASE("a plugin makes its own check") {
    const RuleSet rules =
        load_rules("f", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {})
            .value()
            .sets.front();
    for (const auto& plugin : predicates::plugins())
      CHECK(made_by(rules, plugin.name) == (is_default(plugin.name) ? plugin.name : std::string_view()));
  }

  TEST_CASE("a classic predicate is known by what it does") {
    CHECK(made_by(policy("{name: GeneralPredicates}"), "NodeResourcesFit") == "GeneralPredicates");
    CHECK(made_by(policy("{name: PodFitsResources}"), "NodeResourcesFit") == "PodFitsResources");
    CHECK(made_by(policy("{name: PodFitsPorts}"), "NodePorts") == "PodFitsPorts");
    CHECK(made_by(policy("{name: PodFitsPorts}"), "NodeResourcesFit") == "");
    CHECK(made_by(
              policy("{name: GeneralPredicates, argument: {labelsPresence: {labels: [a], presence: true}}}"),
              "NodeResourcesFit") == "");
    CHECK(made_by(policy("{name: GeneralPredicates}"), "NodeDeclaredFeatures") == "");
  }
}

}  // namespace
}  // namespace winnow::test::plugin_checks_test
