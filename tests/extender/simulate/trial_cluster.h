// A small cluster for tests of the simulation, with the default rules of one generation.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/simulate/placer.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {

/// v1.16's default provider, or 1.37's default profile.
inline LoadedRules default_rules_of(Generation generation) {
  if (generation == Generation::kClassic) return default_rules({});
  auto rules = load_rules("today.yaml",
                          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {});
  REQUIRE_MESSAGE(rules, (rules ? "" : rules.error()));
  return std::move(*rules);
}

/// The rules and the state of one trial. Neither copied nor moved: the engines point into it.
class TrialCluster {
 public:
  explicit TrialCluster(Generation generation)
      : rules(default_rules_of(generation)),
        engines(rules.sets, workers),
        state(State::Options{.generation = generation}) {}
  TrialCluster(const TrialCluster&) = delete;
  TrialCluster& operator=(const TrialCluster&) = delete;

  const LoadedRules rules;
  Workers workers{0};
  const Engines engines;
  State state;
};

inline NodeBuilder roomy(std::string name, std::string_view cpu) {
  return node(std::move(name)).cpu(cpu).memory("64Gi").pods("110").condition("Ready", "True");
}

/// @return the nodes that the pods get, in order; "" for nowhere.
inline std::vector<std::string> place_all(Placer& placer, const std::vector<Pod>& pods) {
  std::vector<std::string> nodes;
  for (const Pod& pod : pods) nodes.push_back(placer.place(pod).node);
  return nodes;
}

}  // namespace winnow::test
