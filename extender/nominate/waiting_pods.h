// The pods that wait for a node, with the nomination of each: what is known of them, under one lock.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/watch/pod_handler.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"
#include "extender/nominate/decision_queue.h"
#include "extender/nominate/doubts.h"
#include "extender/nominate/nomination.h"
#include "extender/nominate/pod_facts.h"
#include "extender/nominate/pod_writer.h"
#include "extender/nominate/retry_policy.h"
#include "extender/nominate/transition.h"

namespace winnow {

/// A pod that is to be decided.
struct PodToDecide {
  Ticket ticket = 0;
  PodFacts facts;
  /// Nothing is to be decided: its nomination is to be taken away for now. See WaitingPods::withdraw().
  bool withdraw = false;
  /// Nothing is to be decided: the pod gets no nomination. See WaitingPods::leave_out().
  std::optional<WhyNotNominated> why_not;
  std::optional<WhyNotNominated> last_why_not;  ///< As the last decision found.
  /// Where no node fits, one is nominated that evictions free. See RequestedNomination.
  bool by_eviction = false;
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

/// A pod that a call has refused, where a node that the call was not about may help it. See
/// --nominate-refused.
struct RequestedNomination {
  std::string ns, name, uid;
  std::uint64_t version = 0;  ///< The pod's resource version in the call; 0: not known.
  /// No node fits, and evictions on a node that the call was not about may make room. kube-scheduler knows no
  /// candidate there.
  bool by_eviction = false;
};

/// How far the nomination of one pod has come.
struct NominationStatus {
  std::string uid;
  Stage stage = Stage::kForeign;
  std::string node;  ///< That it is nominated for; "": none.
  bool fits_nowhere = false;
  std::optional<WhyNotNominated> why_not;  ///< It gets none, and why.
};

/// The numbers of waiting pods, for the metrics.
struct WaitingFigures {
  std::size_t queued = 0;  ///< To be decided, now or after a pause.
  std::size_t fit_nowhere = 0;
  std::size_t left = 0;       ///< Left to others: kForeign, pods of other schedulers, pods that are left out.
  std::size_t nominated = 0;  ///< kWriting, kNominated and kInherited.
  /// Pods that were found to get no nomination, by reason. They only grow.
  std::array<std::uint64_t, kWhysNotNominated> left_out{};
};

/// The waiting pods. The watch adds and removes them by its events, so nothing walks the cluster's pods.
///
/// It locks, asks the clock, and joins what knows neither: the table and the Nomination say what happens to a
/// pod, the DecisionQueue which one is next, retry_policy.h when one is tried again, and Doubts which
/// nominations kube-scheduler may not follow. Thread-safe: the watch, the decider and the writers call.
class WaitingPods : public live::PodHandler {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Options {
    std::string gate;                ///< Pods with this scheduling gate alone are decided too; "": none.
    bool release_infeasible = true;  ///< The gate of a pod that fits nowhere is removed.
    /// Pods are decided on request() alone, and those that are first seen refused once: --nominate-refused.
    bool on_request = false;
  };
  /// A requested nomination is decided when the watch shows that its attempt has failed, for kube-scheduler
  /// clears nominations of an attempt that ends. Where the refusal's text is the one of the attempt before,
  /// nothing is shown: it is decided after so long.
  static constexpr std::chrono::milliseconds kAttempt{500};
  /// The time between tries of a pod that a call has on its way, or that the cache does not have yet.
  static constexpr std::chrono::milliseconds kNotYet{200};
  static constexpr unsigned kMostTries = 20;
  /// The most requests for pods that the watch has not shown yet.
  static constexpr std::size_t kMostEarly = 20'000;

  /// @param clock  outlives this.
  WaitingPods(Options options, const live::Clock& clock) : options_(std::move(options)), clock_(clock) {}

  // From the watch.
  /// The pod is as given. Events older than what is known count for nothing, unless the pod is bound, or
  /// over.
  void on_pod(const Pod& pod) override;
  /// The pod is deleted. @param resource_version  of the deletion; 0: unknown, and it counts.
  void on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) override;
  /// etcd was restored: events of earlier versions are to count.
  void on_rewind() override;

  // From calls of kube-scheduler, with on_request. Never blocks.
  /// A nomination is to be decided for the pod, when its attempt has ended.
  void request(const RequestedNomination& request);
  /// kube-scheduler preempts for the pod: a nomination by eviction is wanted no more.
  void preempts(std::string_view ns, std::string_view name, std::string_view uid);

  // From the decider: the lead.
  /// From now on, nominations that were found are taken over. Those that may have been written before, and
  /// are not on the API, end.
  void begin_lead();
  /// From now on, nominations that are found are left as they are.
  void end_lead();
  /// What has followed since the last call, in order.
  std::vector<Effect> take_effects();

  // From the decider: decisions. A ticket that holds no more, since something has happened to the pod, makes
  // each of these do nothing, and return nothing.
  /// The next pod to decide. Nothing: there is none now.
  std::optional<PodToDecide> next();
  /// The pod was assumed on the node. @return what is to be written; nothing: the pod does not wait any more.
  /// @param by_eviction  it does not fit there yet.
  std::optional<NominationWrite> chosen(Ticket ticket, const std::string& node, bool by_eviction = false);
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
  /// The pod is not to be decided, by its schedulerName: until reconsider(). @return what is to be written:
  /// its gate is removed.
  std::optional<NominationWrite> leave_to_others(Ticket ticket);
  /// The pod gets no nomination: until it tells that the reason is gone, or for one of the cache until
  /// decide_again(). @return what is to be written, if anything: its nomination is taken away, and its gate
  /// removed, unless others have gates on it.
  std::optional<NominationWrite> leave_out(Ticket ticket, WhyNotNominated why);
  /// Other rules are in force: pods that were set aside or left are decided again.
  void reconsider();

  // From the decider: looks. Tickets are as above.
  /// Begins a round of looks: at each pod that fits nowhere or stands nominated, the highest priority first.
  /// @return false: the round before has not ended, and goes on.
  bool begin_round();
  /// The next pod of the round; nothing: the round has ended. Pods that need no look are dealt with here.
  std::optional<PodToLookAt> next_look();
  /// The next nomination that stands and should not: its pod's gate is to be removed, or something speaks for
  /// it that kube-scheduler does not place the pod. To be called while the cache is up to date. What is
  /// given out is to be ungated, ended or trusted.
  std::optional<PodToLookAt> next_doubt();
  /// A pod that fitted nowhere, or was left out, is decided again.
  void decide_again(Ticket ticket);
  /// The pod is not to be looked at, since that is expensive: for retry::kExpensivePodPause, or until
  /// reconsider().
  void set_aside(Ticket ticket);
  /// Removes the gate of a pod that stands nominated, or that is left to others: nobody else would.
  std::optional<NominationWrite> ungate(Ticket ticket);
  /// The nomination stands, and ends by this.
  void end(Ticket ticket, NominationEvent event);
  /// The nomination stays: kube-scheduler prepares the pod's node.
  void trust(Ticket ticket);

  // From the writers.
  /// Whether the decision still holds, so that its write is worth a try.
  bool is_wanted(Ticket ticket) const;
  /// Notes what came of a write. @return the time since the pod was first seen, where this is its first
  /// nomination that is written.
  std::optional<std::chrono::duration<double>> report(const WriteReport& report);

  /// Waits until something has happened since it returned last, or until the time.
  void wait_until(Time time);
  /// Walks all waiting pods.
  WaitingFigures figures() const;
  /// How far the nomination of the pod has come; nothing: it does not wait.
  std::optional<NominationStatus> status_of(std::string_view ns, std::string_view name) const;
  /// How many pods are kept, whatever their stages.
  std::size_t size() const;

 private:
  using Place = DecisionQueue::Place;
  /// A request() that is not decided yet.
  struct Request {
    std::uint64_t version = 0;
    Time at;             ///< When the call refused the pod.
    bool ended = false;  ///< The watch has shown that the attempt has failed.
    bool by_eviction = false;
    unsigned tries = 0;
  };
  struct EarlyRequest {
    std::string uid;
    Request request;
  };
  struct Waiting {
    PodFacts facts;  ///< The last that were told.
    Nomination nomination;
    DecisionQueue::Entry entry;
    /// Where the last decision puts it, once nothing is to be written any more. kNowhere: nowhere yet.
    Place rests_in = Place::kNowhere;
    retry::History history;
    Doubts::Entry doubt;
    PassedOver::Arrival arrival{};  ///< The first event, in the order of all pods.
    Time seen;                      ///< The first event.
    bool timed = false;             ///< Its first nomination was written.
    std::optional<Request> request;
    std::optional<Time> requested;  ///< The first request() since it waits: for the time until it is bound.
    bool by_eviction = false;       ///< It does not fit on its nominated node, until pods there are evicted.
  };

  void enter(PodFacts facts) WINNOW_REQUIRES(mutex_);
  void take_in(Waiting& pod, PodFacts facts) WINNOW_REQUIRES(mutex_);
  void note_try(const Waiting& pod, const PodFacts& facts) WINNOW_REQUIRES(mutex_);
  void settle(Waiting& pod) WINNOW_REQUIRES(mutex_);
  bool happens(Waiting& pod, NominationEvent event) WINNOW_REQUIRES(mutex_);
  void follow(Waiting& pod, const Transition& transition) WINNOW_REQUIRES(mutex_);
  void requeue(Waiting& pod, NominationEvent event, bool stays_on_api) WINNOW_REQUIRES(mutex_);
  void await_decision(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void set_aside(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void try_later(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void take_early_request(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void note_refusal(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void wake() WINNOW_REQUIRES(mutex_);
  void forget(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void end_missing(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void update_doubt(Waiting& pod) WINNOW_REQUIRES(mutex_);
  void expect_new_ones() WINNOW_REQUIRES(mutex_);
  Waiting* find(Ticket ticket) WINNOW_REQUIRES(mutex_);
  Waiting* find_in_hand(Ticket ticket) WINNOW_REQUIRES(mutex_);
  Waiting* find_nominated(Ticket ticket) WINNOW_REQUIRES(mutex_);
  NominationWrite begin_write(Waiting& pod, const std::string& node, bool with_gate) WINNOW_REQUIRES(mutex_);
  std::optional<NominationWrite> rest(Waiting& pod, Place place, bool ungates) WINNOW_REQUIRES(mutex_);
  std::optional<PodToLookAt> look_at(Waiting& pod) WINNOW_REQUIRES(mutex_);
  PodToLookAt doubt_about(const Waiting& pod, bool passed_over) const;
  bool is_stuck(const Waiting& pod) const;

  const Options options_;
  const live::Clock& clock_;
  mutable Mutex mutex_;
  std::condition_variable happened_;
  bool news_ WINNOW_GUARDED_BY(mutex_) = false;      ///< Something has happened since wait_until() returned.
  TextMap<Waiting> pods_ WINNOW_GUARDED_BY(mutex_);  ///< By NAMESPACE/NAME.
  TextMap<EarlyRequest> early_ WINNOW_GUARDED_BY(mutex_);  ///< Of pods that the watch has not shown yet.
  DecisionQueue queue_ WINNOW_GUARDED_BY(mutex_);
  Doubts doubts_ WINNOW_GUARDED_BY(mutex_);
  std::vector<Effect> effects_ WINNOW_GUARDED_BY(mutex_);
  bool leading_ WINNOW_GUARDED_BY(mutex_) = false;
  std::uint64_t lead_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< How many leads have begun.
  std::array<std::uint64_t, kWhysNotNominated> left_out_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow
