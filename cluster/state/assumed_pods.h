// Pods on their way to a node that only we know of.
//
// The state has an assumed pod on its node, as if it were bound. Beside the state stands an Entry, with the
// pod as it was last told of. When the assumption fails, the state gets this pod back: its status and
// annotations are whole, which a pod made from the state's parts would lack. When the watch tells of the
// binding, the entry goes.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

class State;

/// How an assumption ended.
enum class AssumedOutcome : std::uint8_t {
  kConfirmed,    ///< The watch says so.
  kMoved,        ///< The watch names another node.
  kAskedAgain,   ///< kube-scheduler asks about the pod anew: the last attempt has failed.
  kUnscheduled,  ///< The watch spoke of a failure, and of no binding since; see kDoubt.
  kBindFailed,
  kDeleted,  ///< The pod, or one of that name that came after it, is another; or it has ended.
};
inline constexpr std::size_t kAssumedOutcomes = 6;
std::string_view to_string(AssumedOutcome outcome);  ///< As a metric's label has it: "asked_again".

/// kube-scheduler counts a pod on its node before anybody else can see it, and tells no extender. A pod that
/// was answered with its only node, or bound by us, is therefore put on its node here. Every rule counts it
/// as if bound, until the watch or the next call says otherwise; time alone ends nothing. Everything that the
/// watch says of pods comes through here. Not synchronised: it is guarded as the state is (see Picture).
///
/// The watch may be behind kube-scheduler. What is older than the pod that kube-scheduler sent (by resource
/// version) says nothing of it, unless it cannot be taken back: that this very pod is bound, or has ended.
///
/// A failure on the watch is a PodScheduled=False that is news. It releases the pod where something went
/// wrong with the node: a reservation, a claim, the binding. One that says that no node fits is more likely
/// an earlier attempt's, or another extender's, for there was a node to answer. kube-scheduler puts a pod
/// back into its queue before it writes down what has become of it. To free a place that is still to be taken
/// would put two pods there; to free it late costs little.
///
/// So such a failure only casts doubt on the pod, as does a nomination for the node that is taken back. A pod
/// in doubt is released when the watch has gone on for kDoubt without a word of its binding. It stays where
/// it is nominated for the node: kube-scheduler (1.35 and later) is preparing it. It stays where an API
/// server has told us that it is bound. Otherwise only a call about the pod releases it.
class AssumedPods {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kDoubt{5};
  struct Entry {
    std::string ns, name, uid, node;
    Time since;
    Pod pod;                              ///< As last told of; without a node.
    std::uint64_t resource_version = 0;   ///< Of the pod as kube-scheduler sent it.
    bool watched = false;                 ///< The watch has told of the pod.
    std::string nominated;                ///< Its last status.nominatedNodeName: old news.
    std::optional<PodCondition> refused;  ///< Its last PodScheduled=False: old news.
    std::optional<Time> doubted;          ///< Since when.
    bool bound = false;                   ///< By us: an API server has said so.
    bool overdue = false;                 ///< Told of by overdue().
  };

  explicit AssumedPods(State& state) : state_(state) {}

  /// The pod is on its way to the node. Nothing is done for one that the watch has bound already, for one
  /// whose name has passed to a later pod, nor for one that no API server has: it is not known, and has no
  /// resource version.
  void assume(const Pod& pod, const std::string& node, Time now);
  /// The same for a pod that is known by its name, assumed or not. What was old news of it stays old news.
  void assume_known(const std::string& ns, const std::string& name, std::string_view uid,
                    const std::string& node, Time now);
  /// An API server has bound it to the node: only the watch ends it now, or a new call.
  void set_bound(const std::string& ns, const std::string& name, std::string_view uid, std::string_view node);
  /// It is not. @return whether that pod was assumed.
  bool release(const std::string& ns, const std::string& name, std::string_view uid, AssumedOutcome outcome);

  // What the watch says of any pod. A resource version of 0 is not known, and never older.
  void set(const Pod& pod, Time now);
  void remove(const std::string& ns, const std::string& name, std::uint64_t resource_version);
  /// The whole list of that resource version follows. One that is older than what was told before it begins
  /// another history (etcd was restored): versions from before say nothing in it.
  void listed(std::uint64_t resource_version);
  /// A list of that resource version does not have the pod: it is gone, unless it was made after the list.
  void not_listed(const std::string& ns, const std::string& name, std::uint64_t resource_version);

  /// The watch has told of everything up to that resource version: a pod that it has not told of by then is
  /// gone.
  void watched_up_to(std::uint64_t resource_version);
  /// The resource version that the watch of pods has come to; 0 where there is none.
  std::uint64_t told() const { return told_; }

  /// Null where the pod is not assumed.
  const Entry* find(const std::string& ns, const std::string& name) const;
  std::size_t size() const { return entries_.size(); }
  /// How long the oldest has waited.
  std::chrono::duration<double> oldest(Time now) const;
  /// Ended so far, by AssumedOutcome; and how many were overdue.
  const std::array<std::uint64_t, kAssumedOutcomes>& outcomes() const { return outcomes_; }
  std::uint64_t overdue_count() const { return overdue_; }
  /// Those that have waited for `age` without a word, each told of once.
  std::vector<Entry> overdue(Time now, std::chrono::seconds age);

  /// Whether there is anything for settle_doubts().
  bool has_doubts() const;
  /// Releases the pods that are in doubt for too long. @param heard  up to when the watch has told of pods.
  void settle_doubts(Time heard);

  /// Takes over what another picture of the same cluster assumes, and what it has counted. Either of the two
  /// may be behind the other.
  void take_over(const AssumedPods& other);

 private:
  using Key = std::pair<std::string, std::string>;
  using Entries = std::map<Key, Entry>;
  void end(Entries::iterator entry, AssumedOutcome outcome);
  /// In the state the entry's pod is on the entry's node.
  void place(const Entry& entry);
  void begin(Entry entry);
  static AssumedOutcome arrival(const Entry& entry, std::string_view node);

  State& state_;
  Entries entries_;
  std::array<std::uint64_t, kAssumedOutcomes> outcomes_{};
  std::uint64_t overdue_ = 0;
  std::uint64_t told_ = 0;  ///< The resource version that the watch has come to.
};

}  // namespace winnow
