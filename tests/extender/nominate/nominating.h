// A nominator over a cache of the test's, at a made-up time. Writes are kept until the test carries them
// out.
#pragma once

#include <doctest/doctest.h>

#include <format>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/client/servers/pod_events.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/nominate/nomination_events.h"
#include "extender/nominate/nominator.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/pick_history.h"
#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {

inline Node roomy_node(const std::string& name, const std::string& cpu) {
  return node(name).cpu(cpu).memory("64Gi").pods("110").condition("Ready", "True");
}

/// One process that nominates, as far as it is not the watch and not the writers.
class NominatorService {
 public:
  struct Given {
    const live::Clock& clock;  ///< The test's; outlives this.
    std::vector<RuleSet> rules{classic_rules({}).sets.front()};
    std::vector<std::string> schedulers;
    std::string gate;
    bool release_infeasible = true;
    bool on_request = false;
    AnswerMode answer = AnswerMode::kComplete;
    std::shared_ptr<DecisionLog> decision_log = nullptr;
  };

  explicit NominatorService(Given given)
      : clock_(given.clock),
        rules_(std::move(given.rules)),
        engines_(rules_, workers_),
        cache_(std::make_shared<ClusterCache>(State::Options{.generation = rules_.front().generation})),
        decisions_(active(), options(given.answer)),
        waiting({.gate = given.gate,
                 .release_infeasible = given.release_infeasible,
                 .on_request = given.on_request},
                clock_),
        kept_log_(std::move(given.decision_log)),
        nominator({.decisions = decisions_,
                   .picker = picker,
                   .pods = waiting,
                   .writes = fakes_,
                   .leadership = fakes_,
                   .cache = fakes_,
                   .clock = clock_,
                   .events = &fakes_,
                   .metrics = &metrics.live(),
                   .decision_log = kept_log_.get()},
                  {.schedulers = std::move(given.schedulers),
                   .holds_infeasible = !given.release_infeasible,
                   // A test is not to hang on the machine's load.
                   .longest = std::chrono::hours(1)}) {}

  void set_node(const Node& node) {
    cache_->write([&](State& state) { state.set_node(node); });
    cache_->news().tell(true);
  }
  void remove_node(const std::string& name) {
    cache_->write([&](State& state) { state.remove_node(name); });
    cache_->news().tell(true);
  }
  /// An event of the watch.
  void tell(const Pod& pod) {
    cache_->write_pods([&](AssumedPods& pods) {
      pods.set(pod, clock_.now());
      pods.watched_up_to(to_number(pod.metadata.resource_version));
    });
    waiting.on_pod(pod);
    cache_->news().tell(true);
  }
  void tell_gone(const std::string& name, std::uint64_t version) {
    cache_->write_pods([&](AssumedPods& pods) { pods.remove("default", name, version); });
    waiting.on_gone("default", name, version);
    cache_->news().tell(true);
  }

  /// Works until there is nothing to do.
  void work() {
    int steps = 0;
    while (nominator.step() && steps < 100'000) ++steps;
    REQUIRE(steps < 100'000);
  }
  /// Where the pod is assumed; "": nowhere.
  std::string assumed(const std::string& name) const {
    const ClusterCache::ReadGuard state = cache_->read();
    const AssumedPods::Entry* const entry = state.assumed().find("default", name);
    return entry ? entry->node : "";
  }
  /// How many nominations have ended so.
  double ended(NominationOutcome outcome) const {
    const std::string series = std::format("winnow_nominations_total{{outcome=\"{}\"}} ", to_string(outcome));
    const std::string page = metrics.render();
    return std::stod(page.substr(page.find(series) + series.size()));
  }
  std::size_t assumed_count() const { return cache_->read().assumed().size(); }
  ClusterCache& cache() { return *cache_; }
  DecisionLock& decisions() { return decisions_; }
  ActiveConfig active() const { return {{std::shared_ptr<const Engines>(), &engines_}, cache_, nullptr}; }

 private:
  /// What the nominator works with, answered from the members below.
  struct Fakes final : WriteQueue, Leadership, CacheStatus, EventRecorder {
    explicit Fakes(NominatorService& service) : of(service) {}
    bool has_room() const override { return of.writes.size() < of.room; }
    void add(NominationWrite write) override {
      of.before_write();
      of.writes.push_back(std::move(write));
    }
    std::uint64_t term() const override { return of.term; }
    live::Clock::Time until() const override { return live::Clock::Time::max(); }
    std::string unusable() const override { return of.unusable; }
    void record(live::PodEvent event) override { of.events.push_back(std::move(event)); }

    NominatorService& of;
  };

  static ExtenderOptions options(AnswerMode answer) { return {.answer = answer, .assume = true}; }

  const live::Clock& clock_;
  Workers workers_{0};
  const std::vector<RuleSet> rules_;
  const Engines engines_;
  std::shared_ptr<ClusterCache> cache_;
  DecisionLock decisions_;

 public:
  Metrics metrics{"test", "test"};
  NodePicker picker{1};
  std::uint64_t term = 1;
  std::string unusable;
  std::size_t room = 1000;
  std::function<void()> before_write = [] {};
  std::vector<NominationWrite> writes;
  std::vector<live::PodEvent> events;
  WaitingPods waiting;

 private:
  Fakes fakes_{*this};
  const std::shared_ptr<DecisionLog> kept_log_;

 public:
  Nominator nominator;
};

}  // namespace winnow::test
