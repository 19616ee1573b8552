// The engines of a configuration, one for each rule set.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"
#include "extender/reuse/kept_answers.h"

namespace winnow {

class Workers;
struct Pod;

/// The engines of a configuration. A Policy has one, for all pods. A KubeSchedulerConfiguration has one for
/// each profile, chosen by the pod's spec.schedulerName. Immutable; all requests share it.
class Engines {
 public:
  /// Both outlive this. @param sets  not empty. @param reuse  what is kept of answers; see extender/reuse.
  Engines(const std::vector<RuleSet>& sets, Workers& workers, const ReuseOptions& reuse = {});

  /// The engine for a pod; null if no profile has its schedulerName. Absent means "default-scheduler".
  const Engine* find(const Pod& pod) const;
  /// The rule sets of all engines.
  std::vector<const RuleSet*> sets() const;
  /// The index in predicate_names() of an engine's predicate. @param engine  one that find() returned.
  std::size_t predicate_index(const Engine& engine, std::size_t predicate) const {
    return indices_[place_of(engine)][predicate];
  }
  /// The names of an engine's rules. @param engine  one that find() returned.
  const std::shared_ptr<const RuleNames>& rule_names(const Engine& engine) const {
    return rule_names_[place_of(engine)];
  }
  /// The names of all predicates of all engines, each once.
  const std::vector<std::string>& predicate_names() const { return names_; }
  /// Of all engines together.
  ReuseCounts reuse_counts() const;

 private:
  std::size_t place_of(const Engine& engine) const {
    return static_cast<std::size_t>(&engine - engines_.data());
  }

  std::vector<std::unique_ptr<KeptAnswers>> kept_;  ///< By engine.
  std::vector<Engine> engines_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> indices_;             ///< By engine, by predicate.
  std::vector<std::shared_ptr<const RuleNames>> rule_names_;  ///< By engine.
};

/// What the rules of a set say of themselves in their records. One without a record reads the whole cluster.
RuleReads reads_of(const RuleSet& rules);

/// The error for a pod that no profile is for.
/// Upstream: pkg/scheduler/schedule_one.go frameworkForPod v1.37.0.
std::string no_profile_error(const Pod& pod);

}  // namespace winnow
