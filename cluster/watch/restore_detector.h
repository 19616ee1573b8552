// Whether the cluster itself has gone back in time.
//
// The idea: resource versions only grow, so that an answer older than what is known comes from a server that
// lags behind. It is refused. But when etcd was restored from a backup, every server is older, for ever, and
// refusing would leave Winnow with a cluster that is no more. The two cases differ in one point. Without a
// restore, the server that told the newest version cannot be behind it, and so never do all servers answer
// older. A restore is therefore believed when all of them do.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cluster/clock.h"

namespace winnow::live {

/// Collects the answers of one resource that were older than what is known. For one thread.
class RestoreDetector {
 public:
  /// So many older answers each server must have given.
  static constexpr int kAnswers = 2;
  /// So long ago the first of them must be: the server that told the newest may be away for a moment.
  static constexpr std::chrono::seconds kSettled{90};
  /// A server that has not answered for so long has no say, or a dead one would stop the others from being
  /// believed for ever. If it knew more, nothing is lost: the list that is then taken is read from etcd.
  static constexpr std::chrono::minutes kGone{4};

  /// A server has answered older.
  void note(const std::string& server, Clock::Time now);
  /// A server could not be reached, or did not answer.
  void note_silence(const std::string& server, Clock::Time now);
  /// A server has answered as it should.
  void clear();

  /// Whether etcd was restored: all of these servers that have a say have answered older, for long enough.
  bool settled(const std::vector<std::string>& servers, Clock::Time now) const;

 private:
  Clock::Time since_{};                              ///< Of the first of answers_.
  std::map<std::string, int> answers_;               ///< Older ones, by server.
  std::map<std::string, Clock::Time> silent_since_;  ///< By server: the first request without an answer.
};

}  // namespace winnow::live
