// The pods that wait for a node, in kube-scheduler's order, with the stage of each one's nomination.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/client/watch/cache_sink.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"
#include "extender/nominate/passed_over.h"
#include "extender/nominate/transition.h"

namespace winnow {

/// Names one decision about one pod. A result for an older decision is ignored.
using Ticket = std::uint64_t;

/// A pod that is to be decided.
struct PodToDecide {
  Ticket ticket = 0;
  PodFacts facts;
  /// Nothing is to be decided: its nomination is to be taken away for now. See WaitingPods::withdraw().
  bool withdraw = false;
  /// Nothing is to be decided: the pod gets no nomination. See WaitingPods::leave_out().
  std::optional<WhyNotNominated> why_not;
  std::optional<WhyNotNominated> last_why_not;  ///< As the last decision found.
};

/// A pod that is to be looked at again. With a node: whether it still fits there. Without: whether it fits
/// anywhere by now.
struct PodToLookAt {
  Ticket ticket = 0;
  PodFacts facts;
  std::string node;
  bool ungate = false;  ///< Only its gate is still to be removed: WaitingPods::ungate().
  /// What speaks for it that kube-scheduler does not place the pod: to be ended by, or trusted.
  std::optional<NominationEvent> doubt = std::nullopt;
  std::optional<WhyNotNominated> why_not = std::nullopt;  ///< As the last decision found.
};

/// A write to one pod, in the order of the members. What is empty or false is left out.
struct NominationWrite {
  Ticket ticket = 0;
  live::PodIdentity pod;
  std::string instead_of;  ///< Our nomination that the pod may have now.
  std::string node;        ///< The nomination; "" with an `instead_of`: that is taken away.
  std::string gate;        ///< The scheduling gate to be removed.
  std::uint64_t term = 0;  ///< The term of the lead in which it was decided; it is written in that one only.
  unsigned tries = 0;      ///< That have ended without a clear outcome.
  bool unclear = false;    ///< One of them may have written the nomination.
};

/// What came of a write.
struct WriteReport {
  Ticket ticket = 0;
  NominationEvent happening = NominationEvent::kUnclear;
  std::uint64_t version = 0;  ///< The pod's resource version, as the write has last seen it; 0: not seen.
  bool gate_stays = false;    ///< The nomination is written, and the gate could not be removed.
};

/// What follows outside of the queue from what has happened to a pod.
struct Effect {
  std::string ns, name, uid, node;
  std::chrono::steady_clock::time_point when;
  NominationEvent happening{};
  Assumption assumption = Assumption::kStays;
  bool steps_back = false;
  std::optional<NominationOutcome> outcome;
  std::optional<PodCondition> refused;  ///< The pod's, as last told.
};

/// How far the nomination of one pod has come.
struct NominationStatus {
  std::string uid;
  Stage stage = Stage::kLeft;
  std::string node;  ///< That it is nominated for; "": none.
  bool fits_nowhere = false;
  std::optional<WhyNotNominated> why_not;  ///< It gets none, and why.
};

/// The numbers of waiting pods, for the metrics.
struct WaitingFigures {
  std::size_t queued = 0;  ///< To be decided, now or after a pause.
  std::size_t fit_nowhere = 0;
  std::size_t left = 0;       ///< Left to others: kLeft, pods of other schedulers, pods that are left out.
  std::size_t nominated = 0;  ///< kWriting, kStanding and kFound.
  /// Pods that were found to get no nomination, by reason. They only grow.
  std::array<std::uint64_t, kWhysNotNominated> left_out{};
};

/// The waiting pods. The watch adds and removes them by its events, so nothing walks the cluster's pods.
///
/// The order is that of kube-scheduler's PrioritySort: the higher priority first, then who has waited in the
/// queue for longer. kube-scheduler's time in the queue begins when it is told of the pod, and anew after
/// each failed attempt. So the order here is the one in which the watch tells of pods, and a pod that
/// kube-scheduler has refused goes behind its equals. A list tells of pods by name, as it does to a
/// kube-scheduler that starts. Upstream: pkg/scheduler/framework/plugins/queuesort/priority_sort.go,
/// backend/queue/scheduling_queue.go AddUnschedulablePodIfNotPresent v1.37.0.
///
/// All that happens goes through the table of transition.h. Thread-safe: the watch, the decider and the
/// writers call.
class WaitingPods : public live::PodHandler {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Options {
    std::string gate;                ///< Pods with this scheduling gate alone are decided too; "": none.
    bool release_infeasible = true;  ///< The gate of a pod that fits nowhere is removed.
    std::function<Time()> now = [] { return std::chrono::steady_clock::now(); };
  };
  /// A pod that kube-scheduler has given up keeps its place for so long if it is not tried again. In
  /// kube-scheduler's back-off, which takes up to 10 s, nothing is kept for it either.
  static constexpr std::chrono::milliseconds kUnfollowed{1500};
  /// A pod whose nomination was doubted, and is trusted, is not doubted again for so long.
  static constexpr std::chrono::seconds kTrusted{1};
  /// The pause before a gate that could not be removed is tried again, and before a denied write is.
  static constexpr std::chrono::seconds kPause{10};
  /// The longest pause between nominations that come to nothing. It begins at none, then 1 s, and doubles.
  static constexpr std::chrono::seconds kLongestPause{300};
  /// The first pause of a pod that was passed over. Whatever keeps it out of kube-scheduler's queue may stay.
  static constexpr std::chrono::seconds kPassedOverPause{16};

  /// A pod that takes too long to be judged is not looked at for so long. It may be cheaper then, with fewer
  /// nodes or pods.
  static constexpr std::chrono::seconds kExpensivePodPause{300};

  explicit WaitingPods(Options options) : options_(std::move(options)) {}

  // From the watch.
  void on_pod(const Pod& pod) override;
  void on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) override;
  void on_rewind() override;

  // From the decider.
  /// From now on, nominations that were found are taken over. Those that may have been written before, and
  /// are not on the API, end.
  void begin_lead();
  void end_lead();
  /// What has followed since the last call, in order.
  std::vector<Effect> take_effects();
  /// The next pod to decide. Nothing: there is none now.
  std::optional<PodToDecide> next();
  /// The pod was assumed on the node. @return what is to be written; nothing: the pod does not wait any more.
  std::optional<NominationWrite> chosen(Ticket ticket, const std::string& node);
  /// The pod fits nowhere: it waits until decide_again(). @return what is to be written, if anything.
  std::optional<NominationWrite> fits_nowhere(Ticket ticket);
  /// The cache does not have the pod as it was told, or a call of kube-scheduler has it on its way: as
  /// fits_nowhere(), but nothing is concluded.
  void not_now(Ticket ticket);
  /// The decision has failed, as for want of memory: as not_now(). If a write had begun, it is as if the API
  /// server had refused it.
  void give_back(Ticket ticket);
  /// Takes the pod's nomination away for now.
  std::optional<NominationWrite> withdraw(Ticket ticket);
  /// Removes the gate of a pod that stands nominated, or that is left to others: nobody else would.
  std::optional<NominationWrite> ungate(Ticket ticket);
  /// The pod is not to be decided, by its schedulerName: until reconsider(). @return what is to be written:
  /// its gate is removed.
  std::optional<NominationWrite> leave(Ticket ticket);
  /// The pod gets no nomination: until it tells that the reason is gone, or for one of the cache until
  /// decide_again(). @return what is to be written, if anything: its nomination is taken away, and its gate
  /// removed, unless others have gates on it.
  std::optional<NominationWrite> leave_out(Ticket ticket, WhyNotNominated why);
  /// The pod is not to be looked at, since that is dear: for kExpensivePodPause, or until reconsider().
  void set_aside(Ticket ticket);
  void reconsider();

  /// Begins a round of looks: at each pod that fits nowhere or stands nominated, the highest priority first.
  /// @return false: the round before has not ended, and goes on.
  bool begin_round();
  /// The next pod of the round; nothing: the round has ended. Pods that need no look are dealt with here.
  std::optional<PodToLookAt> next_look();
  /// A pod that fitted nowhere, or was left out, is decided again.
  void decide_again(Ticket ticket);
  void no_longer_fits(Ticket ticket);

  /// The next nomination that stands and should not: its pod's gate is to be removed, or something speaks for
  /// it that kube-scheduler does not place the pod. To be called while the cache is up to date. What is
  /// given out is to be ungated, ended or trusted.
  std::optional<PodToLookAt> next_doubt();
  /// The nomination stands, and ends by this.
  void end(Ticket ticket, NominationEvent happening);
  /// The nomination stays: kube-scheduler prepares the pod's node.
  void trust(Ticket ticket);

  // From the writers.
  /// Whether the decision still holds, so that its write is worth a try.
  bool is_wanted(Ticket ticket) const;
  /// @return the time since the pod was first seen, where this is its first nomination that is written.
  std::optional<std::chrono::duration<double>> report(const WriteReport& report);

  /// Waits until something has happened, or until the time.
  void wait_until(Time time);
  WaitingFigures figures() const;
  /// How far the nomination of the pod has come; nothing: it does not wait.
  std::optional<NominationStatus> status_of(std::string_view ns, std::string_view name) const;
  std::size_t size() const;

 private:
  /// Where a pod in kQueued is.
  enum class Place : std::uint8_t {
    kNowhere,  ///< In the decider's hand, or in another stage.
    kReady,
    kLater,  ///< In a pause.
    kUnfit,
    kAside,
  };
  using Rank = std::pair<std::int64_t, std::uint64_t>;  ///< The priority, negated; the order of arrival.
  struct Waiting {
    std::string key;  ///< In `pods_`: NAMESPACE/NAME.
    PodFacts facts;   ///< The last that were told.
    Stage stage = Stage::kQueued;
    Place place = Place::kNowhere;
    Rank rank;
    Time seen;                      ///< The first event.
    Time since;                     ///< kStanding: the begin.
    Time not_before{};              ///< kLater: the end of the pause.
    Time ungate_at{};               ///< kLeft: the gate is not removed before.
    Time aside_until{};             ///< kAside: the end of it.
    Time refused_at{};              ///< The last event that told of a new refusal.
    Time trusted_until{};           ///< kStanding: it is not doubted before.
    Time check_at = Time::max();    ///< Its time in `checks_`; max: it is not there.
    PassedOver::Arrival arrival{};  ///< The first event, in the order of all pods.
    Ticket ticket = 0;
    std::string node;           ///< From kWriting on: the nomination. "" in kWriting: it is taken away.
    std::string on_api;         ///< Our nomination that the API may have.
    std::uint64_t lead = 0;     ///< In which its last write was decided: see lead_.
    std::uint64_t written = 0;  ///< The version of our last write. Events before it tell of the time before.
    bool shown = false;         ///< The watch has shown the nomination.
    bool unfit = false;         ///< The last decision found no node.
    bool foreign = false;       ///< The last decision found that it is another scheduler's.
    /// The last decision, or the pod's facts by the time of it, told this reason.
    std::optional<WhyNotNominated> why_not;

    bool timed = false;            ///< Its first nomination was written.
    bool gate_stays = false;       ///< kStanding: the gate could not be removed.
    bool to_expect = false;        ///< It is in `to_expect_`.
    std::size_t decided_hash = 0;  ///< PodFacts::rules_hash of the last decision.
    unsigned misses = 0;           ///< Nominations in a row that came to nothing. Denied ones do not count.
  };
  using Pods = TextMap<Waiting>;

  void enter(PodFacts facts) WINNOW_REQUIRES(mutex_);
  std::optional<NominationEvent> told(const Waiting& pod) const;
  std::optional<NominationEvent> told_of_nomination(const Waiting& pod) const;
  void take_in(Waiting& pod, PodFacts facts) WINNOW_REQUIRES(mutex_);
  void settle(Waiting& pod) WINNOW_REQUIRES(mutex_);
  bool happens(Waiting& pod, NominationEvent happening) WINNOW_REQUIRES(mutex_);
  void add_effect(const Waiting& pod, const Transition& fate) WINNOW_REQUIRES(mutex_);
  void miss(Waiting& pod, NominationEvent happening) WINNOW_REQUIRES(mutex_);
  void move(Waiting& pod, const Transition& fate) WINNOW_REQUIRES(mutex_);
  void queue(Waiting& pod, NominationEvent happening) WINNOW_REQUIRES(mutex_);
  void end_unwritten(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void put(Waiting& pod, Place place) WINNOW_REQUIRES(mutex_);
  void go_behind(Waiting& pod) WINNOW_REQUIRES(mutex_);
  Waiting* first_ready(Time now) WINNOW_REQUIRES(mutex_);
  Ticket new_ticket(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void drop_ticket(Waiting& pod) WINNOW_REQUIRES(mutex_);
  Waiting* find(Ticket ticket) WINNOW_REQUIRES(mutex_);
  Waiting* find_in_hand(Ticket ticket) WINNOW_REQUIRES(mutex_);
  NominationWrite begin_write(Waiting& pod, const std::string& node, bool with_gate) WINNOW_REQUIRES(mutex_);
  void note_try(const Waiting& pod, const PodFacts& facts) WINNOW_REQUIRES(mutex_);
  static bool is_shown(const Waiting& pod);
  static bool may_be_tried(const Waiting& pod);
  void watch_over(Waiting& pod) WINNOW_REQUIRES(mutex_);
  Time check_time(const Waiting& pod) const;
  void check_at(Waiting& pod, Time time) WINNOW_REQUIRES(mutex_);
  void expect(const std::string& key) WINNOW_REQUIRES(mutex_);
  PodToLookAt doubt(const Waiting& pod) const;
  std::optional<PodToLookAt> look_at(Waiting& pod) WINNOW_REQUIRES(mutex_);
  bool is_gated(const PodFacts& facts) const;
  static live::PodIdentity identity_of(const Waiting& pod);
  bool is_stuck(const Waiting& pod) const;
  bool has_gate_still(const Waiting& pod) const;
  bool is_stale(const Waiting& pod) const;

  const Options options_;
  mutable Mutex mutex_;
  std::condition_variable happened_;
  bool news_ WINNOW_GUARDED_BY(mutex_) = false;  ///< Something has happened since wait_until() returned.
  Pods pods_ WINNOW_GUARDED_BY(mutex_);          ///< By namespace and name.
  std::map<Rank, std::string> ready_ WINNOW_GUARDED_BY(mutex_);  ///< The keys of pods.
  std::map<std::pair<Time, std::uint64_t>, std::string> later_ WINNOW_GUARDED_BY(mutex_);
  std::unordered_map<Ticket, std::string> tickets_ WINNOW_GUARDED_BY(mutex_);
  std::vector<std::string> round_ WINNOW_GUARDED_BY(mutex_);  ///< The keys that are left, the next one last.
  std::set<std::pair<Time, std::string>> checks_
      WINNOW_GUARDED_BY(mutex_);  ///< The keys by Waiting::check_at.
  std::vector<std::string> to_expect_
      WINNOW_GUARDED_BY(mutex_);  ///< The keys of what passed_over_ is to know.
  PassedOver passed_over_ WINNOW_GUARDED_BY(mutex_);
  Time passed_over_after_ WINNOW_GUARDED_BY(mutex_){};  ///< It is not asked before.
  std::vector<Effect> effects_ WINNOW_GUARDED_BY(mutex_);
  std::uint64_t arrivals_ WINNOW_GUARDED_BY(mutex_) = 0;
  Ticket last_ticket_ WINNOW_GUARDED_BY(mutex_) = 0;
  bool leading_ WINNOW_GUARDED_BY(mutex_) = false;
  std::uint64_t lead_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< How many leads have begun.
  std::array<std::uint64_t, kWhysNotNominated> left_out_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow
