// Assumed pods: pods counted on a node before the API shows them there.
//
// The state has an assumed pod on its node, as if it were bound. AssumedPods keeps an Entry beside the state,
// with the pod's last known object. When the assumption fails, the state gets that object back. A pod rebuilt
// from the state's parts would lack its status and annotations. The entry is removed when the watch shows the
// pod on a node.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/devices/held_devices.h"
#include "cluster/function_ref.h"
#include "cluster/state/row_values.h"

namespace winnow {

class Journal;
class State;

/// The reason why an assumption ended.
enum class AssumedOutcome : std::uint8_t {
  kConfirmed,    ///< The watch shows the pod on this node.
  kMoved,        ///< The watch shows the pod on another node.
  kAskedAgain,   ///< kube-scheduler asks about the pod again: its last attempt failed.
  kUnscheduled,  ///< The watch reported a failed attempt, and no binding since; see kDoubt.
  kBindFailed,
  kWithdrawn,  ///< Winnow had nominated the pod for this node, and that has come to nothing.
  kDeleted,    ///< The pod is gone or has ended, or its name belongs to another pod.
};
inline constexpr std::size_t kAssumedOutcomes = 7;
std::string_view to_string(AssumedOutcome outcome);  ///< The metric's label value, such as "asked_again".

/// The evidence that the attempt of an assumed pod has failed. None is proof by itself.
enum class Doubt : std::uint8_t {
  kNoDoubt,
  kRefused,     ///< The watch shows "0/5 nodes are available", which may be of the attempt before.
  kTakenBack,   ///< The nomination for the node was taken back.
  kVolumeGone,  ///< A claim of the pod has lost the node that its volume was to be made for.
  kNotCounted,  ///< kube-scheduler asks about the node as if the pod were not there.
};
std::string_view to_string(Doubt doubt);  ///< As the end of "held for default/web, ": "" for kNoDoubt.

/// The set of assumed pods, like the assumed pods in kube-scheduler's cache.
///
/// kube-scheduler counts a pod on its node before the API shows it, and tells no extender. So a pod whose
/// answer had one node, or that Winnow binds, is put on that node here. Every rule counts it as bound until
/// the watch or the next call says otherwise. Time alone ends no assumption. Every pod event of the watch
/// goes through this class. Not synchronised: the lock of the ClusterCache guards it, as it guards the state.
///
/// The watch may lag behind kube-scheduler. An event with a lower resource version than kube-scheduler's pod
/// is ignored. There is one exception, because it cannot be undone: an event that shows this pod, by UID,
/// bound or ended.
///
/// A failure is a PodScheduled=False condition that differs from the pod's last one. It releases the pod if
/// the cause is the node: a reservation, a claim, the binding. The text "no node fits" more likely comes from
/// an earlier attempt or from another extender, because Winnow did answer with a node. kube-scheduler
/// requeues a pod before it writes the condition of the failed attempt. A place freed too early would be
/// given to two pods. A place freed late costs little.
///
/// So a "no node fits" failure only puts the pod in doubt, and so does each Doubt. A pod in doubt is released
/// when the watch has gone on for kDoubt without showing a binding, or when an API server says that it waits;
/// see to_look_up(). It is kept while it is nominated for the node, because kube-scheduler (1.35 and later)
/// is preparing it. It is kept if an API server has confirmed the binding. Otherwise only a call about the
/// pod releases it.
class AssumedPods {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// The length of watch time after which a pod in doubt is released.
  static constexpr std::chrono::seconds kDoubt{5};
  /// How many versions the watch of pods may be behind. Versions count the writes of all kinds of objects,
  /// and the watch is told of those of pods alone, or of others once a minute. That is as much as an etcd
  /// takes in ten minutes, at 30,000 writes a second.
  static constexpr std::uint64_t kMostAhead = 20'000'000;
  /// The time in doubt after which an API server is asked about the pod. Longer than the watch is late, and
  /// than a binding takes that is on its way. For kRefused it is kDoubt.
  static constexpr std::chrono::seconds kBeforeLook{1};
  /// The time after which an API server is asked about a pod that the watch has not shown at all, and the
  /// time between two questions about one pod.
  static constexpr std::chrono::seconds kUnseen{5};
  /// One assumed pod. `nominated` and `refused` hold what is known already: an event that repeats it is no
  /// failure.
  struct Entry {
    std::string ns, name, uid, node;
    Time since;
    Pod pod;                              ///< The last known object, without a node.
    std::uint64_t resource_version = 0;   ///< Of the pod in kube-scheduler's request; 0: unknown.
    bool watched = false;                 ///< The watch has shown the pod.
    std::string nominated;                ///< Its last known status.nominatedNodeName.
    std::optional<PodCondition> refused;  ///< Its last known PodScheduled=False.
    std::optional<Time> doubted;          ///< The start of the doubt, if there is one.
    Doubt doubt = Doubt::kNoDoubt;        ///< Why; the last reason where there were several.
    std::optional<Time> looked_up;        ///< When an API server was last asked about the pod.
    bool volume_awaited = false;  ///< A claim has promised its volume to the node; see note_volumes().
    bool bound = false;           ///< An API server has confirmed Winnow's binding.
    bool nomination = false;      ///< Winnow has nominated the pod; kube-scheduler may not know of it.
    bool overdue = false;         ///< overdue() has returned it.
    std::string text = {};        ///< The JSON of `pod`; "": not known. Kept while there is a journal.
    std::vector<ClaimedDevices> devices = {};  ///< Taken for the pod's claims until the API shows them.
  };

  explicit AssumedPods(State& state) : state_(state) {}
  /// Sets who is told what changes; null: nobody. What is assumed already is not told.
  void set_journal(Journal* journal) { journal_ = journal; }

  /// Puts the pod on the node. Three kinds of pods are ignored. The watch has bound the first already. The
  /// name of the second belongs to a later pod. The third is unknown to the API server: the state does not
  /// have it, and it has no resource version that is believed().
  /// @param text  the pod's JSON, for the journal. "": it is the state's own pod, or there is no journal.
  /// @param devices  what its claims get on the node: no other pod gets these meanwhile.
  void assume(const Pod& pod, const std::string& node, Time now, std::string_view text = {},
              std::vector<ClaimedDevices> devices = {});
  /// The same for a pod of the state, by its name and UID, assumed or not. A pod that is assumed already
  /// keeps its known nomination and condition.
  void assume_known(const std::string& ns, const std::string& name, std::string_view uid,
                    const std::string& node, Time now);
  /// The same for a pod that Winnow nominates: it counts on the node from now on, and for as long as it waits
  /// for kube-scheduler. A pod that is assumed already is ignored: an attempt goes on.
  /// @param refused  its last known PodScheduled=False, which the state does not keep.
  /// @param devices  what its claims get on the node: no other pod gets these meanwhile.
  void assume_nominated(const std::string& ns, const std::string& name, std::string_view uid,
                        const std::string& node, const std::optional<PodCondition>& refused, Time now,
                        std::vector<ClaimedDevices> devices = {});
  /// Notes that an API server has bound the pod to the node. Only the watch or a new call ends the assumption
  /// then.
  void set_bound(const std::string& ns, const std::string& name, std::string_view uid, std::string_view node);
  /// Ends the assumption; the pod counts on no node then. @return whether that pod was assumed.
  bool release(const std::string& ns, const std::string& name, std::string_view uid, AssumedOutcome outcome);

  // Events of the watch, about any pod. Resource version 0 is an unknown one, and is never older than
  // another. `text` is as in assume().
  void set(const Pod& pod, Time now, std::string_view text = {});
  void remove(const std::string& ns, const std::string& name, std::uint64_t resource_version);
  /// Announces a whole list of that resource version. A version below watched_version() shows that etcd was
  /// restored. The entries' own versions are then dropped, since they do not compare with the new ones.
  void listed(std::uint64_t resource_version);
  /// Notes that a list of that resource version lacks the pod. The pod is removed, unless it was made after
  /// the list.
  void not_listed(const std::string& ns, const std::string& name, std::uint64_t resource_version);

  /// Notes that the watch has sent all events up to that resource version. An assumed pod of that age that
  /// the watch has not shown is removed.
  void watched_up_to(std::uint64_t resource_version);
  /// The resource version that the watch of pods has reached; 0 without a watch.
  std::uint64_t watched_version() const { return watched_version_; }
  /// A version that a caller claims a pod to have; 0, which is unknown, for one that no pod can have by now.
  /// kube-scheduler may be ahead of the watch, but not by kMostAhead.
  std::uint64_t believed(std::uint64_t version) const {
    return watched_version_ != 0 && version > watched_version_ && version - watched_version_ > kMostAhead
               ? 0
               : version;
  }

  /// The pod's entry; null if it is not assumed.
  const Entry* find(const std::string& ns, const std::string& name) const;
  /// Where the pods are.
  const State& state() const { return state_; }
  /// Chooses anew for nominated pods that have lost a device: the API shows it as another's, a taint keeps
  /// the pod off it, or no slice has it.
  /// @param choose  called without the pod's devices being taken.
  void choose_devices_again(FunctionRef<std::vector<ClaimedDevices>(const Entry&)> choose);
  std::size_t size() const { return entries_.size(); }
  /// All entries, by namespace and name.
  auto entries() const { return std::views::values(entries_); }
  /// The pods, sorted, that are on their nodes by Winnow's nomination alone. To kube-scheduler they wait.
  std::vector<PodId> nominated() const;
  /// The age of the oldest assumption that is no nomination; 0 if there is none.
  std::chrono::duration<double> oldest(Time now) const;
  /// The number of ended assumptions by AssumedOutcome, and the number of overdue ones. Both only grow.
  const std::array<std::uint64_t, kAssumedOutcomes>& outcomes() const { return outcomes_; }
  std::uint64_t overdue_count() const { return overdue_; }
  /// The assumptions, but for nominations, that are at least `age` old. Each is returned once.
  std::vector<Entry> overdue(Time now, std::chrono::seconds age);

  /// One attempt of a pod: later ones of the same pod are others.
  struct Attempt {
    std::string ns, name, uid, node;
    Time since;
  };
  /// Puts the pod in doubt, unless that attempt is over, is a nomination, or an API server has confirmed its
  /// binding.
  void doubt(const Attempt& attempt, Doubt why, Time now);
  /// Whether note_volumes() has something to do.
  bool has_news_of_volumes() const;
  /// Puts those pods in doubt whose claims have promised their volume to the node since, and do so no more.
  void note_volumes(Time now);
  /// Whether to_look_up() would return any.
  bool may_look_up(Time now) const;
  /// Those whom a consistent read at an API server may release: in doubt for kBeforeLook, or not seen for
  /// kUnseen. Each counts as looked up now. @param most  how many are returned at most.
  std::vector<Attempt> to_look_up(Time now, std::size_t most);
  /// Takes in what an API server has said of the pod. Without a node and a nomination for it a pod in doubt
  /// is released.
  /// @param found  null: there is no such pod, by its UID. @param asked  when the read began.
  void looked_up(const Attempt& attempt, const Pod* found, Time asked);

  /// Whether settle_doubts() may have something to do.
  bool has_doubts() const;
  /// Releases the pods that have been in doubt for kDoubt.
  /// @param heard  the time up to which the watch has reported pods.
  void settle_doubts(Time heard);

  /// Takes over the assumptions and counters of another cache of the same cluster. Either cache may be
  /// older than the other.
  void take_over(const AssumedPods& other);

  /// Takes the entries of another state that is given up. They are counted nowhere before place_all(). Drops
  /// what the watch has told of them and how far it has come, as a new list does not know it either.
  void adopt(AssumedPods&& other) noexcept;
  /// Puts each pod on its node, after adopt(). If it throws, the state is to be given up.
  void place_all();

  // For whoever repeats a journal: what is told there is done, and nothing is weighed.
  /// Journal::set(): a pod that is assumed stays on its node.
  void repeat(const Pod& pod);
  /// Journal::assumed(). A pod that is not known yet is placed when it is.
  /// @param entry  without the pod: the known one counts.
  void repeat(Entry entry);

 private:
  using Key = std::pair<std::string, std::string>;
  using Entries = std::map<Key, Entry>;
  void end(Entries::iterator entry, AssumedOutcome outcome);
  /// Puts the entry's pod on the entry's node in the state, and takes its devices.
  void place(const Entry& entry);
  void take_devices(const Entry& entry);
  bool has_lost_devices(const Entry& entry) const;
  void begin(Entry entry);
  /// Forgets the devices of a pod that has arrived, and now is gone or has ended.
  void forget_awaited(const Key& pod);
  void tell_of(const Pod& pod, std::string_view text);
  void tell_of(const Entry& entry);
  /// The entry, if that attempt still goes on; else end().
  Entries::iterator find(const Attempt& attempt);
  /// The outcome of an assumption whose pod the watch shows on the node.
  static AssumedOutcome arrival(const Entry& entry, std::string_view node);

  State& state_;
  Journal* journal_ = nullptr;
  Entries entries_;
  /// UIDs of claims whose devices are taken still, of pods that have arrived: their claims show them soon.
  std::map<Key, std::vector<std::string>> awaited_claims_;
  std::array<std::uint64_t, kAssumedOutcomes> outcomes_{};
  std::uint64_t overdue_ = 0;
  std::uint64_t watched_version_ = 0;  ///< See watched_version().
};

}  // namespace winnow
