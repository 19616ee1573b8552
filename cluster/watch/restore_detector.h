// The restore detector: finds out that etcd was restored from a backup.
//
// Resource versions only grow. So an answer older than the known version comes from a server that lags, and
// it is refused. After etcd was restored from a backup, every server answers older, and stays so. To refuse
// these answers would keep Winnow on a cluster that no longer exists. The two cases differ in one point.
// Without a restore, etcd cannot be behind the newest version. A cache can, even that of the server that sent
// this version, because a list may come from etcd. So older answers of all servers are only a suspicion. Each
// server is then asked for a list from etcd. All of these lists are older only after a restore.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/clock.h"

namespace winnow::live {

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
