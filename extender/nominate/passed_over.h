// Pods that get no nomination, by the rules or by kube-scheduler, and nominations that it passes over.
//
// kube-scheduler counts a nominated pod as being there, for all pods of equal or lower priority, whether it
// tries the pod or not. So a nomination of a pod that it does not try keeps a place for nobody. PreEnqueue is
// what keeps a pod out of its queue: gates, claims of devices, groups. Upstream:
// pkg/scheduler/framework/plugins/schedulinggates, dynamicresources, gangscheduling PreEnqueue v1.37.0.
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

#include "cluster/state/view.h"
#include "extender/engine/ruleset.h"
#include "extender/nominate/transition.h"
#include "extender/service/metrics/figures.h"

namespace winnow {

/// Why the pod gets no nomination, as far as the pod itself tells. Nothing: it tells no reason.
/// @param gate  Winnow's own scheduling gate; "": none.
std::optional<WhyNotNominated> why_not_nominated(const PodFacts& facts, std::string_view gate);

/// The same, as far as the cluster tells: claims and volumes, without which kube-scheduler places it nowhere,
/// and devices, which no rule judges.
/// @param rules  those for the pod. Where they do not read claims, or volumes, the view has none, and nothing
///   is said of them.
std::optional<WhyNotNominated> why_not_nominated(const View& view, const Pod& pod, const RuleSet& rules);

/// Whether kube-scheduler prepares the pod's volumes for the node, which may take minutes: a claim that waits
/// for its first consumer is being provisioned for that node, or is being bound to a volume. Upstream:
/// pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes v1.37.0.
bool is_being_prepared(const View& view, const Pod& pod, std::string_view node);

/// Whether the cluster tells the reason, and not the pod: it may go without an event of the pod.
constexpr bool is_of_cache(WhyNotNominated why) { return why >= WhyNotNominated::kDevices; }

/// The reason for people: "it has resource claims, which are not judged".
std::string_view sentence_of(WhyNotNominated why);

// Nominations that kube-scheduler passes over: it tries pods that came later, and not the nominated one.

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

}  // namespace winnow
