// The serving of now, and the right to decide in it where a pod goes.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

#include "cluster/mutex.h"
#include "extender/calls/options.h"
#include "extender/calls/serving.h"

namespace winnow {

/// Two calls that chose a node at the same time could both take the last place. So only one call at a time
/// decides: from reading the picture to putting the pod there. What decides is a pick that is assumed
/// (--answer=best or one, on a live cluster); all other calls go on beside it. Thread-safe.
class Decisions {
 public:
  /// Held by the one that decides; empty where nobody needs to.
  using Lock = std::unique_lock<Mutex>;

  Decisions(Serving serving, const ExtenderOptions& options)
      : assumes_(options.assume),
        alone_(options.assume && options.answer != AnswerMode::kComplete),
        serving_(std::move(serving)) {}

  /// What later calls are answered from.
  Serving serving() const;
  /// Whether a call that goes on with this one would go on with the serving of now.
  bool is_current(const Serving& serving) const { return this->serving() == serving; }
  /// Puts another serving in place, while nobody decides. Another picture takes over what is assumed in the
  /// one before. Calls that are held are woken.
  void replace(Serving serving);

  /// Waits until nobody else decides.
  /// @param serving  becomes the one of now, which stays in place for as long as the lock is held. Where
  /// nobody
  ///   decides alone it is left as it is.
  Lock decide_alone(Serving& serving);
  /// The pod is on its way to that node, for every call that comes after. To be said before it is answered
  /// so, with the lock held and the picture's free. Does nothing where no pick is assumed.
  void assume(const Serving& serving, const Pod& pod, std::string_view node) const;
  /// Changes what is assumed in the picture of now, while nobody decides.
  /// @param serving  becomes the one of now.
  void change_assumed(Serving& serving, const std::function<void(AssumedPods&)>& change);

 private:
  Serving exchange(Serving serving);

  const bool assumes_;
  const bool alone_;
  Mutex deciding_;  ///< Taken before serving_mutex_ and the picture's.
  mutable Mutex serving_mutex_;
  Serving serving_ WINNOW_GUARDED_BY(serving_mutex_);
};

}  // namespace winnow
