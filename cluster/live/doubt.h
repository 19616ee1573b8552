// Whether the cluster itself has gone back in time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/live/clock.h"

namespace winnow::live {

/// Collects the answers that were older than what is known. One server may lag; when all of them go on to
/// answer older for kSettled, kAnswers times each, then what is known is no more: etcd was restored from a
/// backup. (The server that told the newest cannot itself be behind it, so that without a restore the servers
/// never agree; the time is for servers that went away.) One that has not answered at all for kGone has no
/// say any more, or a dead one would keep the others from being believed for ever: the list that is then
/// taken is of the newest in etcd, whatever the servers' caches have. For one thread.
class Doubt {
 public:
  static constexpr int kAnswers = 2;
  static constexpr std::chrono::seconds kSettled{90};
  static constexpr std::chrono::minutes kGone{4};

  void note(const std::string& server, Clock::Time now);
  /// A server could not be reached, or did not answer.
  void note_silence(const std::string& server, Clock::Time now);
  /// A server has answered as it should.
  void clear();

  bool any() const { return !answers_.empty(); }
  /// Whether all of these servers that answer at all have answered older, for long enough.
  bool settled(const std::vector<std::string>& servers, Clock::Time now) const;

 private:
  Clock::Time since_{};
  std::map<std::string, int> answers_;
  std::map<std::string, Clock::Time> silent_since_;
};

}  // namespace winnow::live
