// One engine for each set of rules.
#pragma once

#include <string>
#include <vector>

#include "extender/engine/engine.h"

namespace winnow {

/// The engines of a configuration: one for all pods (a Policy), or one for each profile, by the pods'
/// spec.schedulerName. Immutable, shared by all requests.
class Engines {
 public:
  /// Both outlive this. @param sets  at least one.
  Engines(const std::vector<RuleSet>& sets, Workers& workers);

  /// The engine for a pod, or null: no profile is for it. An absent schedulerName is default-scheduler's.
  const Engine* find(const Pod& pod) const;
  /// The sets that they were made of.
  std::vector<const RuleSet*> sets() const;
  /// The index in predicate_names() of a predicate of an engine that find() gave.
  std::size_t predicate_index(const Engine& engine, std::size_t predicate) const {
    return indices_[static_cast<std::size_t>(&engine - engines_.data())][predicate];
  }
  /// The names of all predicates of all engines, each once.
  const std::vector<std::string>& predicate_names() const { return names_; }

 private:
  std::vector<Engine> engines_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> indices_;  ///< By engine, by predicate.
};

/// What a pod is told that no profile is for.
/// Upstream: pkg/scheduler/schedule_one.go frameworkForPod v1.37.0.
std::string no_profile_error(const Pod& pod);

}  // namespace winnow
