// The memory of why API servers deny writes of one kind.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cluster/clock.h"
#include "cluster/mutex.h"
#include "cluster/transport/transport.h"

namespace winnow::live {

/// Keeps the last denial of writes of one kind, until one is let through. Thread-safe.
class Denials {
 public:
  /// The time after which a denial is too old to be reported.
  static constexpr std::chrono::seconds kReportedFor{60};

  /// @param write  what is denied, in words: "binding of pods".
  /// @param right  the words of a 403 about the right itself: `cannot create resource "pods/binding"`. Any
  ///     other 403 may be about one pod alone, as one of an admission plugin is.
  /// Both point to texts that outlive this, as does the clock.
  Denials(Clock& clock, std::string_view write, std::string_view right)
      : clock_(clock), write_(write), right_(right) {}

  void let_through() { note({}); }
  /// A final answer other than success. One that denies no right counts as let through.
  void refused(const ApiResponse& answer);

  /// The reason why all of these writes are denied, in one line (see denial()). "" if the last one was not
  /// denied, or was denied for its pod alone, or is longer ago than kReportedFor.
  std::string why() const;

 private:
  void note(std::string why);

  Clock& clock_;
  const std::string_view write_;
  const std::string_view right_;
  mutable Mutex mutex_;
  std::string why_ WINNOW_GUARDED_BY(mutex_);
  Clock::Time noted_at_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow::live
