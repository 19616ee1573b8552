// The status of a reflector, the order of resource versions, and the detector of a restored etcd.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

/// Whether the text is a number above 0 in decimal digits that 64 bits hold, without leading zeros. API
/// servers hold versions in 64 bits, and refuse to watch from others. Kubernetes promises that versions of
/// one resource can be compared (KEP-5504, stable in 1.35). Every API server since 1.0 has written such
/// versions.
bool is_resource_version(std::string_view text);

/// The order of two versions; nothing if one of them is not a resource version.
std::optional<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b);

/// Whether `a` is older than `b`. False if they cannot be compared, so "" is never older.
bool is_older(std::string_view a, std::string_view b);

// The status of a reflector: how far its resource is known.

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
  /// The verb that every server denies, or does not serve: kList or kWatch. Winnow does without the resource,
  /// which counts as empty if it was never listed, else as it was last known. "": it is read.
  std::string_view unread;
  std::string missing_right;  ///< Why it is unread, in one line; "": nobody serves it, which is no lack.
  Clock::Time unread_at{};    ///< When the servers refused it last.
  std::optional<Clock::Time> first_listed;  ///< The time of the first complete list.

  static constexpr std::string_view kList = "list";
  static constexpr std::string_view kWatch = "watch";

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
  /// Notes that the resource is not read. The arguments are members of ReflectorStatus.
  /// @param verb  kList or kWatch.
  void left_unread(std::string_view verb, std::string missing_right);
  /// @param word  whether the server, or its machine, ended the watch; otherwise the client gave it up.
  void closed(bool word);

  std::string resource_version() const;
  ReflectorStatus status() const;

 private:
  void forget_lack() WINNOW_REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  ReflectorStatus status_ WINNOW_GUARDED_BY(mutex_);
};

// The restore detector: finds out that etcd was restored from a backup.
//
// Resource versions only grow. So an answer older than the known version comes from a server that lags, and
// it is refused. After etcd was restored from a backup, every server answers older, and stays so. To refuse
// these answers would keep Winnow on a cluster that no longer exists. The two cases differ in one point.
// Without a restore, etcd cannot be behind the newest version. A cache can, even that of the server that sent
// this version, because a list may come from etcd. So older answers of all servers are only a suspicion. Each
// server is then asked for a list from etcd. All of these lists are older only after a restore.

/// The answers for one resource that were older than the known version. For one thread.
class RestoreDetector {
 public:
  /// The number of older answers that each server must have given before a restore is suspected.
  static constexpr int kAnswers = 2;
  /// The time that must have passed since the first of them. The server with the newest version may be away
  /// for a moment.
  static constexpr std::chrono::seconds kSettled{90};
  /// A server without an answer for this long is ignored. Otherwise a dead server would block the detection
  /// for ever. If it knew more, nothing is lost: the list that is then accepted comes from etcd.
  static constexpr std::chrono::minutes kGone{4};

  enum class Source : std::uint8_t { kCache, kEtcd };

  /// Notes that a server's answer was older. @param source  where the server had to read it.
  void note(const std::string& server, Clock::Time now, Source source);
  /// Notes that a server was unreachable, or did not answer.
  void note_silence(const std::string& server, Clock::Time now);
  /// Notes an answer that does not tell how new the server is, such as 429, a body that makes no sense, or an
  /// open watch without events. The server is not gone.
  void note_presence(const std::string& server);
  /// Notes that a server's answer was new enough. All notes are dropped.
  void clear();

  /// Whether etcd may have been restored: all of these servers have answered older, except ignored ones, for
  /// long enough. Only lists from etcd can tell.
  bool suspected(const std::vector<std::string>& servers, Clock::Time now) const;
  /// Whether etcd was restored: a restore is suspected, and all these servers have answered older from etcd,
  /// except ignored ones.
  bool settled(const std::vector<std::string>& servers, Clock::Time now) const;

 private:
  struct Older {
    int answers = 0;
    bool from_etcd = false;  ///< At least one of them.
  };
  bool all_are_older(const std::vector<std::string>& servers, Clock::Time now, bool from_etcd) const;

  Clock::Time since_{};                              ///< The time of the first answer in older_.
  std::map<std::string, Older> older_;               ///< The older answers by server.
  std::map<std::string, Clock::Time> silent_since_;  ///< By server: the first request without an answer.
};

}  // namespace winnow::live
