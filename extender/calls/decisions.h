// The serving in force, and the lock under which one call at a time chooses a node.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

#include "cluster/mutex.h"
#include "extender/calls/options.h"
#include "extender/calls/serving.h"

namespace winnow {

/// The serving that later calls are answered from, and the lock `deciding_`. Two calls that choose a node at
/// the same time could both take the last place. So only one call at a time decides: from reading the picture
/// until the pod is assumed on its node. A call decides if its pick is assumed (--answer=best or one, on a
/// live cluster). All other calls run beside it. Thread-safe.
class Decisions {
 public:
  /// Held by the call that decides. Empty where picks are not assumed.
  using Lock = std::unique_lock<Mutex>;

  Decisions(Serving serving, const ExtenderOptions& options)
      : assumes_(options.assume && !options.replays),
        alone_(options.assume && options.answer != AnswerMode::kComplete),
        serving_(std::move(serving)) {}

  /// The serving in force: later calls are answered from it.
  Serving serving() const;
  /// Whether this serving is still the one in force.
  bool is_current(const Serving& serving) const { return this->serving() == serving; }
  /// Exchanges the serving in force, under `deciding_`. If the picture is another one, it takes over the
  /// assumed pods of the one before. Wakes the calls that are held.
  void replace(Serving serving);

  /// Waits until no other call decides.
  /// @param serving  becomes the serving in force, which is not exchanged while the lock is held. It is left
  ///   as it is where picks are not assumed.
  Lock decide_alone(Serving& serving);
  /// The same for a thread that decides without being called, whatever calls do with their picks. Calls go
  /// first: it waits until none waits for the lock.
  Lock decide_after_calls(Serving& serving);
  /// Assumes the pod on the node, so that every later call counts it there. To be called before the answer is
  /// sent, with the lock held and the picture unlocked. Does nothing unless picks are assumed
  /// (ExtenderOptions::assume).
  /// @param text  the pod's JSON, for the picture's journal; "": not known.
  void assume(const Serving& serving, const Pod& pod, std::string_view node,
              std::string_view text = {}) const;
  /// Changes the assumed pods of the picture in force, under `deciding_`.
  /// @param serving  becomes the serving in force.
  void change_assumed(Serving& serving, const std::function<void(AssumedPods&)>& change);

 private:
  Serving exchange(Serving serving);
  Lock lock_for_call();

  const bool assumes_;
  const bool alone_;
  std::atomic<std::size_t> calls_waiting_ = 0;  ///< Calls that wait for `deciding_`.
  Mutex deciding_;                              ///< Locked before serving_mutex_ and the picture.
  mutable Mutex serving_mutex_;
  Serving serving_ WINNOW_GUARDED_BY(serving_mutex_);
};

}  // namespace winnow
