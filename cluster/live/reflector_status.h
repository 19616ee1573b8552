// How far a reflector has come.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "cluster/live/clock.h"

namespace winnow::live {

struct ReflectorStatus {
  bool synced = false;     ///< A whole list has been taken in.
  bool connected = false;  ///< A watch is open.
  /// When a server last said anything that is as new as what is known: a list, an event, a bookmark, the
  /// opening of a watch. Silence on an open watch says that nothing has changed, so while one is open this is
  /// now: a quiet resource hears only a bookmark a minute. That the connection lives is for the transport to
  /// see (within 45 s), and a watch that is silent for longer than its bookmarks should be is ended
  /// (Watcher::kSilence), so the picture's age is wrong by no more than that.
  Clock::Time last_word{};
  std::string resource_version;  ///< The highest seen; "" before the first list.
  std::string server;            ///< Who was asked last.
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
  void closed();

  std::string resource_version() const;
  ReflectorStatus status() const;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  ReflectorStatus status_;  ///< Guarded by mutex_.
};

}  // namespace winnow::live
