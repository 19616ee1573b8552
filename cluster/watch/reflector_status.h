// How far a reflector has come.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

struct ReflectorStatus {
  /// Silence on an open watch counts only when it lasts longer: a server sends a bookmark each minute. This
  /// is longer than Watcher::kSilence, after which another server is asked. So where another one answers,
  /// the silence of the first is never seen.
  static constexpr std::chrono::seconds kQuiet{80};

  bool synced = false;     ///< A whole list has been taken in.
  bool connected = false;  ///< A watch is open.
  /// When a server last said anything that is as new as what is known: a list, an event, a bookmark, or that
  /// a watch begins or ends. The end of a watch that was given up is no such word: the server was silent, or
  /// the kernel found it gone.
  Clock::Time last_word{};
  std::string resource_version;  ///< The highest seen; "" before the first list.
  std::string server;            ///< The server that was asked last.
  /// What every server denies us, in one line (see denial()), until one opens a watch; "": nothing.
  std::string denied;

  /// How long ago the last word was; on an open watch 0 until that is more than kQuiet.
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
  mutable Mutex mutex_;
  ReflectorStatus status_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow::live
