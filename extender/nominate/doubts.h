// Nominations that stand, and that kube-scheduler may not be about to follow. A place is held by evidence: of
// the pod's own condition, of its gate, and of the order in which kube-scheduler tries pods.
#pragma once

#include <chrono>
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

namespace winnow {

/// Concludes from the order in which kube-scheduler tries pods that a nominated pod is not in its queue.
///
/// kube-scheduler takes the pod of the highest priority, and of equals the one that waits for longest. So one
/// that it may try is tried before a pod of equal or lower priority that has arrived later. If the later one
/// is tried first, the nominated one was not in the queue: a plugin's PreEnqueue keeps it out, or its attempt
/// has begun already.
///
/// A kube-scheduler that starts has its pods in another order. So one pod that came later does not convict
/// the nomination. It needs a second one, which has arrived after the first was tried; or kube-scheduler has
/// tried no other new pod for kIdle, so that nothing is left to be tried before the nominated one.
///
/// Upstream: pkg/scheduler/framework/plugins/queuesort/priority_sort.go v1.37.0. With another QueueSort
/// plugin the conclusion may be wrong; the nomination is then made again later. Not synchronised.
class PassedOver {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Arrival = std::uint64_t;  ///< Grows from pod to pod, in the order in which the watch tells of them.

  /// An attempt that has begun before is given so long to end.
  static constexpr std::chrono::milliseconds kGrace{1000};
  /// kube-scheduler is idle when it has tried no new pod for so long.
  static constexpr std::chrono::milliseconds kIdle{1000};

  /// A pod that stands nominated, and that kube-scheduler may try.
  struct Nominated {
    std::string scheduler;  ///< Its schedulerName: each has a queue of its own.
    std::int32_t priority = 0;
  };
  /// A pod that kube-scheduler has tried: it is bound, or given up.
  struct Tried {
    std::string scheduler;
    std::int32_t priority = 0;
    Arrival arrival = 0;
    bool is_new = false;  ///< It was not given up before.
  };

  /// From now on kube-scheduler may try the pod. @param latest  the last arrival so far: later ones come
  /// behind the pod. A pod that is known begins anew.
  void expect(const std::string& key, const Nominated& pod, Arrival latest);
  /// The pod does not stand nominated any more.
  void forget(const std::string& key);
  /// Whether expect() has told of the pod, and it is not forgotten.
  bool expects(const std::string& key) const { return pods_.contains(key); }

  /// @param latest  as of expect().
  void tried(const Tried& pod, Arrival latest, Time now);
  /// A pod that was passed over; "": none. It is told until it is forgotten, or expected anew.
  std::string passed_over(Time now) const;

 private:
  struct Expected {
    Nominated pod;
    Arrival behind = 0;  ///< Arrivals after this one come behind the pod.
    Time overtaken{};    ///< When a pod behind it was first tried. Time(): none was.
    bool twice = false;  ///< And then one that has arrived after that.
  };
  using Pods = std::unordered_map<std::string, Expected>;
  using ByArrival = std::set<std::pair<Arrival, std::string>>;  ///< The keys by Expected::behind.
  struct Scheduler {
    std::map<std::int32_t, ByArrival> by_priority;
    Time tried_new{};  ///< When it last tried a pod that it had not given up before.
  };

  void overtake(const std::string& key, Arrival latest, Time now);

  Pods pods_;
  std::map<std::string, Scheduler, std::less<>> schedulers_;
  std::set<std::string> overtaken_;  ///< The keys of those that were overtaken at least once.
};

/// Which nominations are to be doubted, and when: by what their own pods tell, at a time that is given, and
/// by PassedOver. Not synchronised.
class Doubts {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// What is kept of one pod. It is its owner's, and only this class changes it. forget() before it is
  /// destroyed.
  class Entry {
   private:
    friend Doubts;
    Time due_ = Time::max();  ///< In `due_`; max: it is not there.
    bool is_new_ = false;     ///< It is in `new_`.
  };
  /// A nomination whose time has come.
  struct Due {
    std::string key;
    bool passed_over = false;  ///< kube-scheduler has tried pods that came later.
  };

  /// To be called after each change of the pod. @param due  when its own facts are to be looked at; max:
  /// never.
  /// @param may_be_tried  it stands nominated, and kube-scheduler may try it.
  void update(const std::string& key, Entry& entry, Time due, bool may_be_tried);
  /// The pod does not stand nominated any more.
  void forget(const std::string& key, Entry& entry);
  /// From now on kube-scheduler may try the pod, whatever it has tried until now.
  void trust(const std::string& key) { passed_over_.forget(key); }
  /// Pods which are to be given to expect() now, or forgotten: update() has told of them since the last call.
  std::vector<std::string> take_new() { return std::exchange(new_, {}); }
  /// Pods that arrive from now on come behind this one. @param pod  null: it may not be tried any more.
  void expect(const std::string& key, Entry& entry, const PassedOver::Nominated* pod,
              PassedOver::Arrival latest);
  /// See PassedOver::tried().
  void tried(const PassedOver::Tried& pod, PassedOver::Arrival latest, Time now) {
    passed_over_.tried(pod, latest, now);
  }
  /// The next one; nothing: none now. It is told until something changes for it.
  std::optional<Due> next(Time now);

 private:
  std::set<std::pair<Time, std::string>> due_;  ///< The keys by Entry::due_.
  std::vector<std::string> new_;                ///< The keys of pods that passed_over_ is to know.
  PassedOver passed_over_;
  Time quiet_until_{};  ///< passed_over_ is not asked before.
};

}  // namespace winnow
