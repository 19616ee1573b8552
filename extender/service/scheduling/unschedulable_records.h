// The pods that were refused and not asked about since.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// The last refusal of one pod: no node was found for it.
struct UnschedulableRecord {
  using Time = std::chrono::steady_clock::time_point;

  std::string ns, name, uid;
  std::uint64_t version = 0;     ///< The resource version of the pod in the call.
  std::uint64_t news = 0;        ///< ChangeNotifier::Count::for_others of the last look.
  std::uint64_t first_news = 0;  ///< The same for the first look, before any hold.
  bool one_node = false;         ///< The call was about one node, the nominated one.
  /// The nominated node was refused in this attempt, by this call or an earlier one.
  bool refused_nominated = false;
  bool fits_outside = false;  ///< It fits on a node that the call was not about.
  Time asked;                 ///< When the call arrived.
  Time refused;               ///< When it was answered.
  unsigned doubts = 0;        ///< Remarks in a row, with no other change in between.
  bool doubtful = false;      ///< The refusal was doubtful; it may lack the remark.
  std::uint64_t times = 1;    ///< Refusals in a row.
  /// Results of later looks at the pod: since when it would fit, on which node, and whether that was logged.
  std::optional<Time> would_fit;
  std::string node;
  bool told = false;
  bool woken = false;  ///< to_wake() has returned it.
};

/// The last kPods refusals, by the pods' keys (pod_key_of). Thread-safe.
class UnschedulableRecords {
 public:
  using Time = UnschedulableRecord::Time;
  static constexpr std::size_t kPods = 20'000;

  /// Adds a refusal, in place of the pod's last one. `times` is counted here.
  void refused(UnschedulableRecord refusal);
  /// Removes the pod: a node was found for it, or it no longer waits.
  void forget(std::string_view uid);
  /// The same after a look at this refusal. Does nothing if the pod was refused again since.
  void forget(const UnschedulableRecord& refusal);
  std::optional<UnschedulableRecord> find(std::string_view uid) const;

  /// Up to `count` refusals, in turn: the next call continues where this one ends.
  std::vector<UnschedulableRecord> next(std::size_t count);
  /// Notes the result of another look at a refusal. Does nothing if the pod was refused again or removed
  /// since.
  /// @param node  the node on which the pod would fit; nothing: none.
  /// @return the refusal, once: when the pod has fitted for `told_after`.
  std::optional<UnschedulableRecord> looked(const UnschedulableRecord& refusal,
                                            const std::optional<std::string>& node, Time now,
                                            Time::duration told_after);

  /// To be called after looked(). @return the refusal, once: when the pod has fitted for `after`, and
  ///   kube-scheduler's back-off is over, so that it may try the pod at once.
  std::optional<UnschedulableRecord> to_wake(const UnschedulableRecord& refusal, Time now,
                                             Time::duration after);

  /// Whether a pod would fit that to_wake() has not returned.
  bool has_any_to_wake() const;

  std::size_t size() const;
  /// The number of pods that have fitted for at least `age`, without a call about them.
  std::size_t would_fit(Time now, Time::duration age) const;
  /// The number of refusals that looked() has returned.
  std::uint64_t told_count() const;

 private:
  using List = std::list<UnschedulableRecord>;
  void erase(List::iterator refusal) WINNOW_REQUIRES(mutex_);

  mutable Mutex mutex_;
  List list_ WINNOW_GUARDED_BY(mutex_);  ///< The latest refused, or looked at, last.
  std::unordered_map<std::string_view, List::iterator, TextHash> by_uid_ WINNOW_GUARDED_BY(mutex_);
  std::uint64_t told_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
