// The status of a reflector: how far its resource is known.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

/// A snapshot of a reflector's progress.
struct ReflectorStatus {
  /// Silence on an open watch counts only above this, as a server sends a bookmark each minute. It is longer
  /// than Watcher::kSilence, after which the reflector asks another server. So the silence of one server does
  /// not show if another one answers.
  static constexpr std::chrono::seconds kQuiet{80};

  bool synced = false;     ///< A complete list has been written.
  bool connected = false;  ///< A watch is open.
  /// The time of the last sign of a server that is as new as the known version. That is a list, an event, a
  /// bookmark, or the start or end of a watch. The end of a watch that the client gave up does not count: the
  /// server was silent, or the kernel found it gone.
  Clock::Time last_word{};
  std::string resource_version;  ///< The highest known; "" before the first list.
  std::string server;            ///< The last server that was asked.
  /// The denial of all servers in one line (see denial()), until one opens a watch; "" for none.
  std::string denied;
  /// An optional resource that every server denies, or does not serve. It counts as empty if it was never
  /// listed, else as it was last known.
  bool unread = false;
  std::string missing_right;  ///< The denial of an unread resource in one line; "": nobody serves it.

  /// The time since last_word. On an open watch it is 0 up to kQuiet.
  Clock::Duration silence(Clock::Time now) const {
    const Clock::Duration lasting = now - last_word;
    return connected && lasting <= kQuiet ? Clock::Duration::zero() : lasting;
  }
};

/// A status that one thread writes and any thread may read.
class ReflectorProgress {
 public:
  explicit ReflectorProgress(const Clock& clock) : clock_(clock) {}

  void ask(std::string_view server);
  /// Notes a complete list. It may be older than the known version.
  void listed(std::string_view resource_version);
  void opened();
  void advance(std::string_view resource_version);
  /// Notes that what was listed is lost. The known version stays: no later list may be older.
  void lost();
  /// Notes that a server has reached the known version.
  void heard();
  /// @param line  see ReflectorStatus::denied.
  void denied(std::string line);
  /// Notes that an optional resource is not read. @param right  see ReflectorStatus::missing_right.
  void left_unread(std::string right);
  /// @param word  whether the server, or its machine, ended the watch; otherwise the client gave it up.
  void closed(bool word);

  std::string resource_version() const;
  ReflectorStatus status() const;

 private:
  const Clock& clock_;
  mutable Mutex mutex_;
  ReflectorStatus status_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow::live
