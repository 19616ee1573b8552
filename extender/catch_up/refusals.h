// Which pods were refused and have not been asked about since.
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

#include "cluster/api/pod.h"
#include "cluster/mutex.h"

namespace winnow {

/// A pod that no node was found for.
struct Refusal {
  using Time = std::chrono::steady_clock::time_point;

  std::string ns, name, uid;
  std::uint64_t version = 0;     ///< The resource version of the pod that was asked about.
  std::uint64_t news = 0;        ///< News::Count::for_others of the picture that it was judged by.
  std::uint64_t first_news = 0;  ///< The same of the first look: the call may have been held.
  bool one_node = false;         ///< Only the node that it is nominated for was asked about.
  /// That node was refused in this attempt, by this call or by one before it.
  bool refused_nominated = false;
  Time asked;             ///< When the call came.
  Time refused;           ///< When it was answered.
  unsigned doubts = 0;    ///< How often in a row its text said that the watch may be late, and that was all.
  bool doubtful = false;  ///< It might have said so.
  std::uint64_t times = 1;  ///< How often in a row.
  /// Since when it would fit, and where; told: people know.
  std::optional<Time> would_fit;
  std::string node;
  bool told = false;
};

/// Holds the last kPods of them, by UID. Thread-safe.
class Refusals {
 public:
  using Time = Refusal::Time;
  static constexpr std::size_t kPods = 20'000;

  /// The pod was refused, once more perhaps. `times` is counted here.
  void refused(Refusal refusal);
  /// It was given a node, or is no longer waiting.
  void forget(std::string_view uid);
  /// The same, found by a look at a refusal. Nothing happens where it was refused again since.
  void forget(const Refusal& refusal);
  std::optional<Refusal> find(std::string_view uid) const;

  /// Up to `count` of them, in turn: the next call goes on where this one ends.
  std::vector<Refusal> next(std::size_t count);
  /// What a second look at a refusal has found: the node that the pod would fit on, or nothing. Nothing
  /// happens where it was asked about since. @return the refusal, where it has fitted for `told_after` and
  /// nobody was told so yet.
  std::optional<Refusal> looked(const Refusal& refusal, const std::optional<std::string>& node, Time now,
                                Time::duration told_after);

  std::size_t size() const;
  /// How many have fitted for `age`, and were not asked about.
  std::size_t would_fit(Time now, Time::duration age) const;
  /// How many people were told of so far.
  std::uint64_t told_count() const;

 private:
  using List = std::list<Refusal>;
  void erase(List::iterator refusal) WINNOW_REQUIRES(mutex_);

  mutable Mutex mutex_;
  List list_ WINNOW_GUARDED_BY(mutex_);  ///< The latest refused, or looked at, last.
  std::unordered_map<std::string_view, List::iterator> by_uid_ WINNOW_GUARDED_BY(mutex_);
  std::uint64_t told_ WINNOW_GUARDED_BY(mutex_) = 0;
};

}  // namespace winnow
