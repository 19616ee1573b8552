// A simulation: pods that wait are placed in kube-scheduler's order, until none is left that fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cluster/expand/daemon_sets.h"
#include "extender/what_if/simulate/batch.h"
#include "extender/what_if/simulate/placer.h"
#include "extender/what_if/simulate/result.h"

namespace winnow {

class Engines;
class State;
struct Changes;

/// Told of the work now and then. @return false to end the run with what is known.
using Progress = std::function<bool(std::size_t done, std::size_t all)>;
/// Told of each attempt as it ends. The state is as the attempt has left it; budgets have not followed yet.
using Observer = std::function<void(const Pod& pod, const Placement& placement)>;

/// Told of each choice before anything changes.
/// @param number  of SimulationResult::pods.
/// @param choice  null: an equal pod was tried just before and fits nowhere, nothing has changed since, and
///   this one fares the same.
using OnChoice = std::function<void(std::uint32_t number, const Pod& pod, const Choice* choice)>;

/// Namespaces and names of pods.
using PodNames = std::set<std::pair<std::string, std::string>>;

/// Batches of a result, from `begin` to before `end`.
struct BatchRange {
  std::uint32_t begin = 0, end = 0;
};

/// Places pods in a state. They are added first, then run() places them: the highest priority first, then the
/// oldest, then in the order in which they were added; what has no creation time yet is the youngest. A pod
/// that fits nowhere is tried again when others have been placed or have left since. One that has preempted
/// in vain preempts nobody any more: its victims would come back, and it would go on for ever. Before all
/// these a node that was added gets its pods of DaemonSets. One that does not fit there is not tried again.
///
/// Used by one thread; state and engines outlive it, and nobody else changes the state.
/// Upstream: pkg/scheduler/framework/plugins/queuesort/priority_sort.go v1.37.0.
class Simulation {
 public:
  /// Makes the changes first. Controllers make the pods of removed nodes anew: these wait.
  /// @param progress  may be empty.
  Simulation(State& state, const Engines& engines, const PlacerOptions& options, const Changes& changes,
             Progress progress);

  /// To be called before pods are placed.
  void on_choice(OnChoice told) { on_choice_ = std::move(told); }
  /// Has all attempts from now on told, also those that fail as one before has.
  void observe(Observer observer) { observer_ = std::move(observer); }
  /// Adds the pods that are pending in the state. @param only  those; all: null.
  void add_pending(const PodNames* only = nullptr);
  /// Adds the pods of files. They do not wait yet. DaemonSets among them count for new nodes from now on.
  BatchRange add_batches(std::vector<PodSet> sets);
  /// Has all pods of these batches wait.
  void wait_for(BatchRange batches);
  /// Places all pods that wait.
  void run();

  /// Evicts a pod of the state, whatever the budgets say. If it has a controller, it waits to be placed anew.
  void evict(Pod pod, PodOrigin origin);
  /// Notes a pod that stays on its node, for its eviction is forbidden.
  void block(Pod pod, std::string why);
  /// Tries one pod of a batch at once. One that fits nowhere is not noted.
  Placement try_at_once(std::uint32_t batch, std::size_t index);
  /// The nodes that a pod of a batch fits now. Its claims are made.
  std::vector<NodeId> fitting(std::uint32_t batch, std::size_t index);
  /// To be called when nodes of the state have come or gone, or budgets.
  void objects_changed();
  /// To be called when a node has been added: run() begins with its pods of DaemonSets.
  void node_came(std::string node);
  /// Takes away a node that was added, with its pods of DaemonSets. It has no others.
  void take_away(const std::string& node);
  /// Nodes that have not got their pods of DaemonSets yet.
  const std::vector<std::string>& new_nodes() const { return new_nodes_; }
  /// The first pod, by its turn, that fits nowhere; nothing if all that were tried fit. A pod of a DaemonSet,
  /// which no other node helps, only where there is no other.
  std::optional<Pod> first_refused() const;
  /// How many pods that were tried fit nowhere.
  std::size_t count_refused() const { return refused_.size(); }

  /// Whether to go on: false once Progress has said so.
  bool goes_on() const { return !result_.cut_short; }
  State& state() { return state_; }
  const Budgets& budgets() const { return *budgets_; }
  const Placer& placer() const { return *placer_; }
  const Engines& engines() const { return engines_; }
  SimulationResult& result() { return result_; }
  /// Gives the result away. To be called last.
  SimulationResult finish();

 private:
  struct Waiting {
    std::int32_t priority;
    std::int64_t created;
    std::uint32_t pod;  ///< Of SimulationResult::pods.
    bool operator<(const Waiting& other) const;
  };
  /// A pod that fits nowhere, and `changes_` when it was tried.
  struct Refused {
    std::uint32_t pod;
    std::uint64_t changes;
  };
  /// The last pod that rules have refused: an equal one fares the same while nothing changes.
  struct Failure {
    Pod pod;
    std::uint64_t changes = 0;
    std::uint32_t why = kNone;
  };

  std::uint32_t batch_of(const std::string& name, Batch::Pods empty);
  std::uint32_t note(std::uint32_t batch, std::size_t index, PodOrigin origin);
  std::uint32_t noted_again(const Pod& pod, std::uint32_t batch, PodOrigin origin);
  void wait(std::uint32_t number, const Pod& pod);
  void leave(Pod pod, PodOrigin origin);
  void fail(Pod pod);
  void count_running(SimulationResult& result) const;
  void try_waiting(std::uint32_t number);
  void refuse(std::uint32_t number, std::uint32_t why);
  Placement place(const Pod& pod, const Placer::Chosen& chosen, bool may_preempt);
  void look_at(std::uint32_t batch, const Pod& pod);
  /// Makes those of the claims that are not there.
  void make_claims(std::vector<PersistentVolumeClaim> claims, const std::vector<ResourceClaim>& of_devices);
  void make_claims(std::uint32_t batch, std::size_t index);
  void note_placed(const Pod& pod, Reserved reserved);
  void start_new_nodes();
  void start_daemon(const KnownDaemonSet& one, NodeId node);
  bool retry();
  std::uint32_t why(std::string text, std::vector<std::pair<std::string, std::size_t>> reasons = {});
  void tell();

  State& state_;
  const Engines& engines_;
  const PlacerOptions options_;
  const Progress progress_;
  std::map<std::string, std::size_t> running_before_;  ///< By workload.
  OnChoice on_choice_;
  Observer observer_;
  UsageBook usage_;
  DaemonSets daemon_sets_;  ///< Found before the changes: a removed node may have had the only pod.
  std::optional<Budgets> budgets_;
  std::optional<Placer> placer_;
  SimulationResult result_;
  std::priority_queue<Waiting> waiting_;
  std::unordered_set<std::uint32_t> in_vain_;  ///< The pods that fitted nowhere when their victims had left.
  std::vector<std::string> new_nodes_;
  std::vector<Refused> refused_;                            ///< In the order of their turns.
  std::unordered_map<std::string, std::uint32_t> batches_;  ///< Of pods that are no PodSet's.
  std::unordered_map<std::string, std::uint32_t> whys_;
  std::unordered_map<std::string, std::uint32_t>
      placed_;  ///< With preemption: the pods placed here, by name.
  std::optional<Failure> failure_;
  /// What is not judged of the pods of a batch that was tried; and what their admission has left out.
  std::unordered_map<std::uint32_t, std::vector<std::string>> not_judged_, not_judged_of_made_;
  std::uint64_t changes_ = 0;  ///< Counts what may help a pod: pods placed or gone, nodes that came.
  std::size_t done_ = 0;
};

}  // namespace winnow
