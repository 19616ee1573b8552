// Held places: what nodes keep for pods that are not there yet.
//
// A nominated pod, or one that Winnow has given a node in an answer, counts on that node before it runs
// there. Others are kept out by it, or evicted for it. So whoever holds a place can be asked for whom, since
// when, and on what evidence.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/state/assumed_pods.h"

namespace winnow {

class State;

/// The evidence by which a place is held.
enum class HeldBy : std::uint8_t {
  kNomination,       ///< Winnow has nominated the pod: this one, or another one.
  kOtherNomination,  ///< Somebody else has: kube-scheduler, for which pods are evicted; an autoscaler.
  kAnswer,           ///< Winnow has named this node alone when kube-scheduler asked about the pod.
  kBinding,          ///< Winnow has bound the pod, and the watch has not shown it there.
};
inline constexpr std::size_t kHeldBys = 4;
std::string_view to_string(HeldBy by);  ///< "nomination", "otherNomination", "answer", "binding"
std::optional<HeldBy> held_by_of(std::string_view word);

/// What is known of kube-scheduler's attempts to place the pod.
enum class HeldTried : std::uint8_t {
  kNever,   ///< None has failed, and the pod waits: perhaps kube-scheduler does not look at it at all.
  kBefore,  ///< The last one that is known was before the place was held.
  kSince,   ///< There was one since, or it goes on.
};
inline constexpr std::size_t kHeldTrieds = 3;
std::string_view to_string(HeldTried tried);  ///< "never", "before", "since"
std::optional<HeldTried> held_tried_of(std::string_view word);

struct HeldPlace {
  std::string ns, name;  ///< Of the pod.
  std::string node;      ///< Perhaps one that the state does not know.
  HeldBy by = HeldBy::kNomination;
  std::string manager;  ///< Of a nomination: who has written it. "": not told.
  HeldTried tried = HeldTried::kNever;
  std::optional<double> seconds;  ///< Since when; absent: not known.
  std::int64_t milli_cpu = 0, memory = 0, ephemeral_storage = 0;
  std::vector<std::pair<std::string, std::int64_t>> others;  ///< Other resources, and how much of them.
  std::int32_t priority = 0;
  bool counted =
      true;  ///< The state counts it on the node, for all pods. Else those of its priority and below.

  /// NAMESPACE/NAME; the name alone where no namespace is told.
  std::string pod() const { return ns.empty() ? name : ns + '/' + name; }
  bool operator==(const HeldPlace&) const = default;
};

/// What the clocks show when places are looked at.
struct HeldClocks {
  AssumedPods::Time steady = std::chrono::steady_clock::now();
  std::chrono::system_clock::time_point wall = std::chrono::system_clock::now();
};

/// The places that are held in the cluster, by node and pod.
/// @param assumed  null: of a cluster in which nobody assumes, as in a file.
/// @param now  absent: no time is told, as of a file.
std::vector<HeldPlace> held_places(const State& state, const AssumedPods* assumed,
                                   const std::optional<HeldClocks>& now);

/// What the metrics say of them.
struct HeldFigures {
  std::size_t nominations = 0, other_nominations = 0, assumptions = 0;
  double untried_seconds = 0;  ///< How long Winnow's oldest nomination stands of a pod that was never tried.
};
HeldFigures held_figures(const State& state, const AssumedPods& assumed, const HeldClocks& now);

/// "3 cpu on node-2 are held for default/g0, nominated 40 s ago, never tried"
std::string to_text(const HeldPlace& place);

}  // namespace winnow
