// Rechecks of refused pods and of assumed pods in doubt, and who may send a call that changes something.
//
// A web page can make its visitor's browser send a POST to a service on the visitor's machine. The browser
// sends an Origin then. Without asking first, it can send only a few content types, and JSON is none of them.
// A page can also point its own name at the machine's address; the Host is that name then.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/state/assumed_pods.h"
#include "extender/service/log/log.h"
#include "extender/service/scheduling/unschedulable_records.h"

namespace winnow::live {

struct PatchResult;
struct PodIdentity;
struct PodLookedUp;

}  // namespace winnow::live

namespace winnow {

class DecisionLock;
struct ActiveConfig;

/// The header fields that tell of the sender; "": absent.
struct Sender {
  std::string_view content_type, origin, host;
  std::string_view fetch_site = {};  ///< Sec-Fetch-Site, in which a browser says where its page is from.
};

struct SenderRefused {
  int status;
  std::string line;  ///< What is wrong, and what was expected.
};

/// @param loopback  whether the listener is reached from this machine only.
/// @return why the call is refused; nothing if it may be answered.
std::optional<SenderRefused> check_sender(const Sender& sender, bool loopback);

/// The same for a call that only reads: a page of another site must not have it worked on. What a browser
/// sends without asking first is refused; for all else it asks, and is told no.
std::optional<SenderRefused> check_reader(const Sender& sender);

/// The part of check_sender() that is about the name by which the listener was reached: what a page of
/// another name must not read, though its address is this machine's.
std::optional<SenderRefused> check_host(std::string_view host, bool loopback);

// How a refused pod that fits by now is brought to kube-scheduler's notice.

/// Who writes the nomination that wakes a refused pod.
class WakingNominations {
 public:
  virtual ~WakingNominations() = default;
  /// Within PodWaker::kLongest.
  virtual live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node) = 0;
};

/// Nominates the pod for the node on which it fits. kube-scheduler tries a pod again that an extender has
/// refused when the pod changes, and tries the nominated node first. If the pod does not fit there,
/// kube-scheduler takes the nomination back. Upstream: Update of pkg/scheduler/backend/queue/
/// scheduling_queue.go and handleSchedulingFailure of pkg/scheduler/schedule_one.go v1.37.0.
///
/// That needs the right to patch pods/status. Without it that is said once in kRest, and nothing is done
/// meanwhile. Used by one thread.
class PodWaker {
 public:
  using Time = UnschedulableRecord::Time;
  static constexpr std::chrono::minutes kRest{10};
  /// The time between two pods, so that the cache has the nomination before another pod is found to fit on
  /// the same place.
  static constexpr std::chrono::milliseconds kBetween{200};
  /// The longest that a nomination may take.
  static constexpr std::chrono::seconds kLongest{2};

  /// @param nominations  must outlive this.
  explicit PodWaker(WakingNominations& nominations) : nominations_(nominations) {}

  /// Whether wake() would do anything now.
  bool may_wake(Time now) const { return now >= rests_until_; }
  /// @param refusal  with the node.
  void wake(const UnschedulableRecord& refusal, Time now);

 private:
  WakingNominations& nominations_;
  Time rests_until_{};
  LogRate woken_told_;
};

// The look-up of assumed pods in doubt, at an API server.

/// Who asks an API server where an assumed pod is; see live::PodLookUp.
class AssumedLookUps {
 public:
  virtual ~AssumedLookUps() = default;
  /// Within AssumedCheck::kLongest.
  virtual live::PodLookedUp look_up(const AssumedPods::Attempt& attempt, const std::stop_token& stop) = 0;
};

/// Asks an API server about the assumed pods that may have been given up: those in doubt, and those that no
/// watch has shown. The watch alone tells nothing of them while the cluster is quiet. Runs beside the calls,
/// which wait for no API server. Used by one thread.
class AssumedCheck {
 public:
  using Time = AssumedPods::Time;
  /// The time between two rounds.
  static constexpr std::chrono::milliseconds kRound{200};
  /// The longest look-up of one pod.
  static constexpr std::chrono::seconds kLongest{2};
  /// The most look-ups of one round, so that an API server is not asked about thousands of pods at once.
  static constexpr std::size_t kAtOnce = 16;

  /// Both arguments must outlive this.
  AssumedCheck(DecisionLock& decisions, AssumedLookUps& look_ups)
      : decisions_(decisions), look_ups_(look_ups) {}

  /// Runs until `stop` is requested.
  void run(const std::stop_token& stop);
  /// One round.
  void look(Time now, const std::stop_token& stop);

 private:
  std::vector<AssumedPods::Attempt> due(Time now);

  DecisionLock& decisions_;
  AssumedLookUps& look_ups_;
  LogRate failures_told_, ends_told_;
};

// The repeated check of refused pods: whether they fit by now.

/// A search for refused pods that would fit. kube-scheduler tries a refused pod again when something happens
/// in the cluster. If it has tried too early, and nothing else happens, the pod waits although it would fit.
/// Such pods are logged, and brought to kube-scheduler's notice where there is a way. The search runs beside
/// the calls, one pod at a time, with a small part of a core. Used by one thread.
class Recheck {
 public:
  using Time = UnschedulableRecord::Time;

  /// A pod is logged after it has fitted for so long. Longer than kube-scheduler's longest back-off (10 s),
  /// during which it does not try the pod.
  static constexpr std::chrono::seconds kTell{12};
  /// A pod is brought to kube-scheduler's notice after it has fitted for so long, if its back-off is over:
  /// what it is tried for anyhow has had its time.
  static constexpr std::chrono::milliseconds kWake{500};
  /// At most one part in kOneIn of a core is used.
  static constexpr int kOneIn = 20;
  /// The time after which refusals are checked again without news.
  static constexpr std::chrono::seconds kRound{5};

  /// The longest look at one pod. A pod that takes longer is dear for every call, and is not looked at again.
  static constexpr std::chrono::milliseconds kLongest{250};

  /// @param refusals  must outlive this.
  /// @param decisions  has the active configuration in force; must outlive this.
  /// @param longest  instead of kLongest.
  Recheck(UnschedulableRecords& refusals, const DecisionLock& decisions, Time::duration round = kRound,
          Time::duration longest = kLongest)
      : refusals_(refusals), decisions_(decisions), round_(round), longest_(longest) {}

  /// @param waker  has kube-scheduler try pods again; outlives this. Null: nobody does.
  void wake_by(PodWaker* waker) { waker_ = waker; }

  /// Runs until `stop` is requested.
  void run(const std::stop_token& stop);
  /// Checks up to `count` refusals, in turn.
  void look(std::size_t count, Time now);

 private:
  Time::duration pause() const;
  void look_at(const ActiveConfig& active, const UnschedulableRecord& refusal, Time now);

  UnschedulableRecords& refusals_;
  const DecisionLock& decisions_;
  const Time::duration round_;
  const Time::duration longest_;
  PodWaker* waker_ = nullptr;
};

}  // namespace winnow
