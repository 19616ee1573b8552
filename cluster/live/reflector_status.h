// How far a reflector has come.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "cluster/live/clock.h"

namespace winnow::live {

struct ReflectorStatus {
  /// For so long silence on an open watch is nothing to worry about: nothing has changed, and the bookmark
  /// that a server sends each minute is not overdue. Longer than Watcher::kSilence, at which another server
  /// is asked: where one answers, nobody takes notice.
  static constexpr std::chrono::seconds kQuiet{80};

  bool synced = false;     ///< A whole list has been taken in.
  bool connected = false;  ///< A watch is open.
  /// When a server last said anything that is as new as what is known: a list, an event, a bookmark, the
  /// opening of a watch, or its end. A watch that ended because nothing came (a server that is frozen, or
  /// cannot be reached any more, which the kernel finds out within 45 s) has had no word at its end.
  Clock::Time last_word{};
  std::string resource_version;  ///< The highest seen; "" before the first list.
  std::string server;            ///< Who was asked last.
  /// What every server denies us, in one line (see denial()), until one opens a watch; "": nothing.
  std::string denied;

  /// How long a word has been missing. An open watch misses none for kQuiet, then all since the last one.
  Clock::Duration silence(Clock::Time now) const {
    const Clock::Duration lasting = now - last_word;
    return connected && lasting <= kQuiet ? Clock::Duration::zero() : lasting;
  }
};

/// The status that one thread keeps and any may read.
class ReflectorProgress {
 public:
  explicit ReflectorProgress(const Clock& clock) : clock_(clock) {}

  void ask(std::string_view server);
  /// Whole: also when it is older than what was known.
  void listed(std::string_view resource_version);
  void opened();
  void advance(std::string_view resource_version);
  /// A server has said that it is as far as what is known.
  void heard();
  /// @param line  as in ReflectorStatus.
  void denied(std::string line);
  /// @param word  the server, or its machine, ended it; otherwise it was given up.
  void closed(bool word);

  std::string resource_version() const;
  ReflectorStatus status() const;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  ReflectorStatus status_;  ///< Guarded by mutex_.
};

}  // namespace winnow::live
