// What each pod was answered with: the single nodes of `best` and `one`, and preempt's nodes and victims.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/state/row_values.h"
#include "cluster/text/keyed_hash.h"
#include "extender/service/protocol/preempt_args.h"

namespace winnow {

class NodeTotals;
class State;
class View;
struct Pod;

/// A memory of the nodes that were each pod's only answer. A pod that is asked about again was not bound to
/// its node: kube-scheduler has refused that node for reasons of its own. The same answer must not be
/// repeated for ever. Keeps the last kPods pods. Thread-safe. `pod_uid` is the key of pod_key_of().
class PickHistory {
 public:
  /// The nodes that the pod was answered with before, each with the number of such answers.
  TextMap<std::uint32_t> not_followed(std::string_view pod_uid) const;
  /// Counts an answer of this node for the pod.
  void answered(std::string_view pod_uid, std::string_view node);
  /// Sets what not_followed() gives for the pod.
  void repeat(std::string_view pod_uid, TextMap<std::uint32_t> times);

 private:
  static constexpr std::size_t kPods = 10'000;
  struct Entry {
    std::string pod_uid;
    TextMap<std::uint32_t> times;
  };
  Entry& entry_of(std::string_view pod_uid) WINNOW_REQUIRES(mutex_);
  mutable Mutex mutex_;
  std::list<Entry> entries_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first.
  std::unordered_map<std::string_view, std::list<Entry>::iterator, TextHash> by_pod_
      WINNOW_GUARDED_BY(mutex_);
};

// The choice of one node for a pod, for the answers `best` and `one`.

/// A random choice among the nodes with the highest total. A node that the pod was given before and was not
/// bound to ranks lower: after the first time behind nodes of the same total, from the second time on behind
/// all others. Thread-safe.
class NodePicker {
 public:
  /// @param seed  makes the choice repeatable, whatever the order of the nodes. Absent: drawn at random here.
  /// @param drawn  the number that is drawn at random then; absent: another one each time.
  explicit NodePicker(std::optional<std::uint64_t> seed, std::optional<std::uint64_t> drawn = std::nullopt);

  /// @param pod_key  see pod_key_of().
  /// @param totals  the nodes' totals, in the order of `nodes`.
  /// @return the index of the chosen node in `nodes`; nothing if there are none.
  std::optional<std::size_t> pick(const Pod& pod, std::string_view pod_key, const View& view,
                                  std::span<const NodeId> nodes, const NodeTotals& totals) const;
  /// Notes that the pod is answered with this node. A later pick() for the pod ranks it lower.
  void answered(std::string_view pod_key, std::string_view node) { picks_.answered(pod_key, node); }
  /// The nodes that the pod was answered with before, and how often.
  TextMap<std::uint32_t> not_followed(std::string_view pod_key) const { return picks_.not_followed(pod_key); }
  /// Sets them.
  void repeat(std::string_view pod_key, TextMap<std::uint32_t> times) {
    picks_.repeat(pod_key, std::move(times));
  }

 private:
  const bool repeatable_;
  const std::uint64_t seed_;
  PickHistory picks_;
};

// The nodes that preempt has answered, until the watch shows them.

/// The node of the last preempt answer for each pod, where the answer had one node. kube-scheduler nominates
/// the pod for it, and its next preemption counts the pod there at once. The cache shows the nomination
/// later. Keeps the last kPods pods. Thread-safe.
class PromisedNodes {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPods = 1000;
  /// The longest delay of a watch that is expected.
  static constexpr std::chrono::seconds kBelief{10};

  /// Replaces the pod's promise.
  /// @param pod   with the resource version that kube-scheduler knows.
  /// @param node  "": it has none any more.
  void promise(const Pod& pod, const std::string& node, Time now);
  /// The nodes that are promised to other pods, and whose nominations the state does not show. A promise ends
  /// with the pod's nomination for that node, with its place on a node, or with the pod. One to a pod of
  /// lower priority does not count: kube-scheduler takes such a nomination away.
  /// @param told  the resource version that the watch of pods has reached.
  std::vector<std::string> of_others(const State& state, std::uint64_t told, const Pod& pod, Time now);

 private:
  struct Promise {
    std::string ns, name, uid, node;
    std::uint64_t version = 0;
    std::int32_t priority = 0;
    Time at;
  };
  static bool has_ended(const Promise& one, const State& state, std::uint64_t told, Time now);

  mutable Mutex mutex_;
  std::list<Promise> promises_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first; few.
};

// The victims that preempt has answered for each pod.

/// The victims of the last preempt answer for each pod, by node. kube-scheduler evicts the victims on one
/// node, nominates the pod for it, and does not ask again before they are gone. Keeps the last kPods pods.
/// Thread-safe.
class VictimHistory {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPods = 100;
  /// The longest delay of a watch that is expected. Victims that are in the cache after it have not gone.
  static constexpr std::chrono::seconds kBelief{10};

  /// Replaces the victims of the pod by those of a new answer.
  void named(const std::string& pod_uid, std::vector<MetaVictims> victims);
  /// The UIDs of the pod's victims on the node; empty if there are none.
  std::vector<std::string> on(std::string_view pod_uid, std::string_view node) const;
  /// Called when the cache still has such victims and the request says that they are gone.
  /// @return whether the request is to be believed. It is for kBelief from the first such request on. False
  ///   for a pod without victims here.
  bool are_gone(std::string_view pod_uid, Time now);
  /// What are_gone() would say, without a note that the request has said so.
  bool would_be_gone(std::string_view pod_uid, Time now) const;

 private:
  struct Entry {
    std::string pod_uid;
    std::vector<MetaVictims> victims;
    std::optional<Time> gone;  ///< Time of the first request that said so.
  };
  mutable Mutex mutex_;
  std::list<Entry> entries_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first; few.
};

}  // namespace winnow
