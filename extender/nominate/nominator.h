// The decider: nominates waiting pods for nodes, one after another.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cluster/state/cluster_cache.h"
#include "extender/nominate/waiting_pods.h"
#include "extender/service/log/log.h"
#include "extender/service/scheduling/time_share.h"

namespace winnow {

class CacheStatus;
class DecisionLock;
class DecisionLog;
class Engine;
class Engines;
class EventRecorder;
class LiveMetrics;
class NodePicker;
class State;
struct ActiveConfig;
struct DecisionRecord;

/// Decides for the pods that wait, as `best` does for a pod that it is asked about: under the DecisionLock,
/// over all nodes, and with the pod assumed on its node before another is decided. Calls of kube-scheduler go
/// first, so that none waits for more than one decision. Writes are handed on, and decisions do not wait for
/// them.
///
/// All changes of assumed pods that nominations bring are made here, by one thread, in the order of what has
/// happened. While Winnow does not lead, or the cache may not be used, nothing else is done.
///
/// A step that throws, as for want of memory, is taken up again by the next one.
class Nominator {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A look at pods that fit nowhere, or stand nominated, uses at most one part in kOneIn of a core.
  static constexpr int kOneIn = 10;
  /// The time after which a round of looks begins without news.
  static constexpr std::chrono::seconds kRound{5};
  /// The longest decision. It is the longest delay of a call, too.
  static constexpr std::chrono::milliseconds kLongest{250};

  /// What it works with. All of them outlive it.
  struct Parts {
    DecisionLock& decisions;
    NodePicker& picker;
    WaitingPods& pods;
    WriteQueue& writes;
    const Leadership& leadership;
    const CacheStatus& cache;
    const live::Clock& clock;
    /// Is told what the pod's people should know: a nomination that came to nothing, a gate that holds a pod
    /// which fits nowhere. Null: nobody is told.
    EventRecorder* events = nullptr;
    LiveMetrics* metrics = nullptr;       ///< Null: nothing is counted.
    DecisionLog* decision_log = nullptr;  ///< Where decisions are kept. Null: none are.
  };
  struct Options {
    std::vector<std::string> schedulers;  ///< See engine_for().
    bool holds_infeasible = false;        ///< Pods that fit nowhere keep their gate.
    Time::duration longest = kLongest;    ///< For one decision; for tests.
  };

  Nominator(const Parts& parts, Options options) : parts_(parts), options_(std::move(options)) {}

  /// Works until `stop` is requested. Never throws.
  void run(const std::stop_token& stop);

  /// Looks at one pod again, where looks have not used up their share of a core; or else decides one.
  /// @return whether there was anything to do.
  bool step();

 private:
  struct Choice;
  /// What a look shows.
  enum class Seen : std::uint8_t {
    kNothing,      ///< Nothing can be told now.
    kFits,         ///< The pod fits: on its node, or somewhere.
    kFitsNot,      ///< It does not.
    kOtherReason,  ///< A reason for no nomination has come, or gone.
  };

  void follow_effects();
  void give_back();
  void renew_devices(const ActiveConfig& active);
  void apply(const ActiveConfig& active, AssumedPods& pods, const Effect& effect) const;
  void tell(const Effect& effect);
  void follow_lead();
  void decide(const PodToDecide& pod);
  std::optional<Choice> choose(const ActiveConfig& active, const PodToDecide& asked);
  /// @param why_nowhere  becomes kube-scheduler's text if the pod fits nowhere. Null: it is not wanted.
  /// @param record  gets what was found. Null: it is not wanted.
  std::optional<Choice> judge_all_nodes(const State& state, const Pod& pod, const Engine& engine,
                                        std::string* why_nowhere, DecisionRecord* record) const;
  std::optional<Choice> search_freed_node(const State& state, const Pod& pod, const Engine& engine);
  void leave_out(const PodToDecide& pod, WhyNotNominated why, std::unique_ptr<DecisionRecord> record);
  std::unique_ptr<DecisionRecord> new_record(const ActiveConfig& active, const ClusterCache::ReadGuard& state,
                                             const Pod& pod, const Engine& engine,
                                             const PodFacts& facts) const;
  void note_end(const Effect& effect) const;
  void hand_on(std::optional<NominationWrite> write);
  bool follow_doubt(const ActiveConfig& active);
  static bool is_unlikely(const ActiveConfig& active, const PodToLookAt& doubted);
  bool look(const ActiveConfig& active);
  void look_at(const ActiveConfig& active, const PodToLookAt& look);
  Seen see(const ActiveConfig& active, const PodToLookAt& look) const;

  const Parts parts_;
  const Options options_;
  mutable TimeShare cause_time_{100};  ///< Of finding causes for kept decisions.
  std::vector<Effect> effects_;        ///< Those that are not followed yet.
  std::optional<PodToDecide> failed_;  ///< Its decision has thrown.
  std::uint64_t term_ = 0;             ///< Of the lead, as of the last step; 0: none.
  const Engines* engines_ = nullptr;   ///< Of the last decision, to notice others. Only compared.
  std::optional<ChangeNotifier::Count> seen_news_;  ///< When the round began.
  /// The cache, and its DeviceInventory::version(), for which renew_devices() was done.
  std::pair<const ClusterCache*, std::uint64_t> seen_devices_;
  const ClusterCache* seen_cache_ = nullptr;  ///< Whose news these are. Only compared.
  Time round_begun_{};
  Time rest_until_{};   ///< Of looks: their share of a core is used up until then.
  Time next_search_{};  ///< Of nodes that evictions free: the same.
  LogRate choices_told_, ends_told_, expensive_told_;
};

}  // namespace winnow
