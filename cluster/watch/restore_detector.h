// The restore detector: finds out that etcd was restored from a backup.
//
// Resource versions only grow. So an answer older than the known version comes from a server that lags, and
// it is refused. After etcd was restored from a backup, every server answers older, and stays so. To refuse
// these answers would keep Winnow on a cluster that no longer exists. The two cases differ in one point.
// Without a restore, the server that sent the newest version cannot be behind it. So all servers answer older
// only after a restore.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cluster/clock.h"

namespace winnow::live {

/// The answers for one resource that were older than the known version. For one thread.
class RestoreDetector {
 public:
  /// The number of older answers that each server must have given.
  static constexpr int kAnswers = 2;
  /// The time that must have passed since the first of them. The server with the newest version may be away
  /// for a moment.
  static constexpr std::chrono::seconds kSettled{90};
  /// A server without an answer for this long is ignored. Otherwise a dead server would block the detection
  /// for ever. If it knew more, nothing is lost: the list that is then accepted comes from etcd.
  static constexpr std::chrono::minutes kGone{4};

  /// Notes that a server's answer was older.
  void note(const std::string& server, Clock::Time now);
  /// Notes that a server was unreachable, or did not answer.
  void note_silence(const std::string& server, Clock::Time now);
  /// Notes an answer that does not tell how new the server is, such as 429. The server is not gone.
  void note_presence(const std::string& server);
  /// Notes that a server's answer was new enough. All notes are dropped.
  void clear();

  /// Whether etcd was restored: all of these servers have answered older, except ignored ones, for long
  /// enough.
  bool settled(const std::vector<std::string>& servers, Clock::Time now) const;

 private:
  Clock::Time since_{};                              ///< The time of the first answer in answers_.
  std::map<std::string, int> answers_;               ///< The number of older answers by server.
  std::map<std::string, Clock::Time> silent_since_;  ///< By server: the first request without an answer.
};

}  // namespace winnow::live
