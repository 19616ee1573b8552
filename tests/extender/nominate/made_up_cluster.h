// A made-up API server, a kube-scheduler and a Winnow that nominates, each with a lag of its own; all drawn
// from a seed. What is drawn: pods that come, go and change; hands that bind and clear; refusals, lost
// answers, restarts, lost leads, nodes that go. It ends with a cluster in which nothing goes wrong any more.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cluster/function_ref.h"
#include "tests/extender/nominate/nominating.h"

namespace winnow::test {

class MadeUpCluster {
 public:
  explicit MadeUpCluster(std::uint64_t seed);

  /// Something happens, drawn from the seed.
  void happens();
  /// Nothing goes wrong any more, and kube-scheduler tries those pods alone that have a nomination, until no
  /// pod moves.
  void heal();

  /// What is wrong in the end, one line each: pods that fit and do not run, nodes that are too full,
  /// assumptions and pods that are forgotten nowhere.
  std::vector<std::string> problems() const;
  /// The number of nominations that have ended, by outcome.
  const std::array<double, kNominationOutcomes>& outcomes() const { return outcomes_; }
  /// What happened, to read after a failure.
  const std::vector<std::string>& story() const { return story_; }

 private:
  /// The events that one watcher has not seen yet.
  struct Event {
    Pod pod;
    bool gone = false;
    std::uint64_t version = 0;
  };
  using Events = std::deque<Event>;

  // The API server.
  Pod* find(const std::string& name);
  void store(Pod pod, const std::string& why);
  void remove(const std::string& name);
  void bind(Pod& pod, const std::string& node, const std::string& who);
  live::PatchResult nominate(const live::PodIdentity&, const std::string& node,
                             const std::string& instead_of);
  live::PatchResult remove_gate(const live::PodIdentity&, std::string_view gate);
  live::PatchResult perhaps_lost(FunctionRef<live::PatchResult()> patch);
  std::int64_t free_on(const std::map<std::string, Pod>& pods, const std::string& node) const;

  // Winnow.
  void start_winnow();
  void count_outcomes();
  void carry_out_a_write();
  void show_winnow();

  class Writing;

  // kube-scheduler.
  void show_scheduler();
  void schedule_one(bool only_nominated);
  void try_pod(const Pod& pod);
  bool scheduler_fits(const Pod& pod, const std::string& node) const;
  void give_up(const Pod& pod);

  // What is drawn.
  void new_pod();
  void hand();
  void trouble();
  std::size_t draw(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  bool one_in(std::size_t times) { return draw(times) == 0; }
  Pod* any_pod();
  std::string any_node();

  std::mt19937_64 random_;
  live::test::ManualClock clock_;
  bool healed_ = false;
  std::uint64_t version_ = 100;
  std::size_t names_ = 0;
  std::map<std::string, std::int64_t> nodes_;  ///< Their CPUs.
  std::map<std::string, Pod> pods_;
  Events for_winnow_, for_scheduler_;
  std::map<std::string, Pod> scheduler_pods_;            ///< As kube-scheduler has seen them.
  std::map<std::string, std::string> scheduler_placed_;  ///< Its own bindings.
  std::map<std::string, std::size_t> scheduler_queue_;   ///< When each came in, or was given up.
  std::size_t queued_ = 0;
  std::unique_ptr<NominatorService> winnow_;
  std::array<double, kNominationOutcomes> outcomes_{};
  std::vector<std::string> story_;
};

}  // namespace winnow::test
