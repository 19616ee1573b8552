// A small cluster for tests of the simulation, with the default rules of one generation.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/expand/expand.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/what_if/simulate/placer.h"
#include "extender/what_if/simulate/result.h"
#include "extender/what_if/simulate/simulation_report.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {

/// v1.16's default provider, or 1.37's default profile.
inline LoadedRules default_rules_of(Generation generation) {
  if (generation == Generation::kClassic) return classic_rules({});
  auto rules = load_rules(
      "today.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {});
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

/// Pods of a text as a file has it.
inline std::vector<PodSet> sets_of(const std::string& text, const State& state,
                                   std::optional<std::uint32_t> replicas = {}) {
  auto objects = read_new_objects_text("pods.yaml", text, {.replicas = replicas}, state);
  REQUIRE_MESSAGE(objects, (objects ? "" : objects.error().message));
  return std::move(objects->sets);
}

/// A Deployment whose pods ask for so much cpu.
inline std::string deployment(const std::string& name, int replicas, const std::string& cpu) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         ", namespace: shop}\nspec:\n  replicas: " + std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: " + name +
         "}}\n  template:\n    metadata: {labels: {app: " + name +
         "}}\n    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"" + cpu + "\"}}}]}\n";
}

/// "namespace/name on NODE", in the order in which the pods were met; else what became of it. The namespace
/// "default" is left out.
inline std::vector<std::string> told(const SimulationResult& result) {
  std::vector<std::string> lines;
  for (const SimulatedPod& pod : result.pods) {
    std::string line = result.batches[pod.batch].pod_name(pod.index);
    if (line.starts_with("default/")) line.erase(0, line.find('/') + 1);
    if (pod.from != winnow::kNone) line += " from " + result.nodes[pod.from].name;
    line += pod.end == PodEnd::kPlaced ? " on " + result.nodes[pod.node].name
                                       : " " + std::string(to_string(pod.end));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace winnow::test
