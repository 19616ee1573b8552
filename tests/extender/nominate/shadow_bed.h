// A shadow over caches of the test's. The test is the watch, and calls the shadow's steps.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/decisions_text.h"
#include "extender/nominate/scheduler_decisions.h"
#include "extender/nominate/shadow.h"
#include "extender/service/scheduling/decision_lock.h"
#include "tests/extender/explain/records.h"
#include "tests/extender/nominate/told_pods.h"
#include "tests/extender/service/fake_rules.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {

/// One cache, and the events of its watch.
class WatchedCache {
 public:
  WatchedCache(SchedulerDecisions& told, const State::Options& options)
      : told_(told), cache_(std::make_shared<ClusterCache>(options)) {}

  /// Writes the events into the cache in one step, as the sink does. The shadow is not told yet.
  void write(const std::vector<Pod>& events) {
    cache_->write_pods([&](AssumedPods& pods) {
      for (const Pod& event : events) pods.set(event, std::chrono::steady_clock::now());
      pods.watched_up_to(to_number(events.back().metadata.resource_version));
    });
  }
  /// Tells the shadow of them.
  void hand_on(const std::vector<Pod>& events) {
    for (const Pod& event : events) told_.on_pod(event);
    told_.on_told(to_number(events.back().metadata.resource_version));
  }
  void tell(const std::vector<Pod>& events) {
    write(events);
    hand_on(events);
  }
  void set_node(const Node& node) {
    cache_->write([&](State& state) { state.set_node(node); });
  }
  const std::shared_ptr<ClusterCache>& cache() const { return cache_; }

 private:
  SchedulerDecisions& told_;
  const std::shared_ptr<ClusterCache> cache_;
};

/// A node that DigitPriority scores by its last digit, with room for as many pods of told().
inline Node digit_node(const std::string& name, int pods = 9) {
  return node(name).cpu(std::to_string(pods)).memory("64Gi").pods("110").condition("Ready", "True");
}

/// kube-scheduler's own filters, and the digit of a node's name as its only score.
inline RuleSet by_digits(Generation generation = Generation::kToday) {
  RuleSet rules = generation == Generation::kToday ? todays_rule_set() : default_rule_set();
  rules.priorities = {by_digit()};
  return rules;
}

class ShadowBed {
 public:
  /// Decisions wait for earlier ones for as long as it takes, unless told otherwise.
  static constexpr SchedulerDecisions::Options kPatient{.patience = std::chrono::hours(1)};

  explicit ShadowBed(RuleSet rules = by_digits(), Shadow::Options options = {},
                     SchedulerDecisions::Options queue = kPatient)
      : told(queue),
        rules_{std::move(rules)},
        engines_(rules_, workers_),
        first(told, options_of(rules_.front())),
        decisions_(active(first), {.assume = true}),
        shadow(decisions_, picker_, told, cache_status, with_log(std::move(options))) {}

  static State::Options options_of(const RuleSet& rules) {
    return {.accounting = rules.accounting, .exact_zones = rules.exact_zones, .generation = rules.generation};
  }
  /// The cache comes into force.
  void exchange(const WatchedCache& cache) { decisions_.replace(active(cache)); }

  void nodes(const std::vector<std::string>& names, int pods = 9) {
    for (const std::string& name : names) first.set_node(digit_node(name, pods));
  }
  /// The pod is seen waiting, and then bound.
  void goes(const Pod& waiting, const std::string& to, int version) {
    Pod event = bound(waiting, to);
    event.metadata.resource_version = std::to_string(version);
    first.tell({waiting});
    first.tell({event});
  }
  /// Steps until there is nothing to do. @return how many there were.
  int work() {
    int steps = 0;
    while (shadow.step() && steps < 100'000) ++steps;
    REQUIRE(steps < 100'000);
    return steps;
  }
  /// "NAME RESULT", the oldest first.
  std::vector<std::string> results() const {
    std::vector<std::string> words = words_of(*log);
    std::ranges::reverse(words);
    for (std::string& one : words) one.erase(one.find(" shadow"), 7);
    return words;
  }
  DecisionRecord last() const { return *all_of(*log).front().record; }
  std::string last_text() const { return decision_text(all_of(*log).front()); }

  /// Says what the test has it say.
  struct FakeCacheStatus final : CacheStatus {
    std::string unusable() const override { return why; }
    std::string why;
  };
  FakeCacheStatus cache_status;
  SchedulerDecisions told;
  std::shared_ptr<DecisionLog> log = std::make_shared<DecisionLog>(1'000);

 private:
  ActiveConfig active(const WatchedCache& cache) const {
    return {{std::shared_ptr<const Engines>(), &engines_}, cache.cache(), nullptr};
  }
  Shadow::Options with_log(Shadow::Options options) const {
    options.decision_log = log;
    // A test is not to fail on the machine's load.
    if (options.longest == Shadow::kLongest) options.longest = std::chrono::hours(1);
    return options;
  }

  Workers workers_{0};
  const std::vector<RuleSet> rules_;
  const Engines engines_;

 public:
  WatchedCache first;

 private:
  DecisionLock decisions_;
  const NodePicker picker_{1};

 public:
  Shadow shadow;
};

}  // namespace winnow::test
