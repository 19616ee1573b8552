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
/// never agree; the time is for servers that went away.) For one thread.
class Doubt {
 public:
  static constexpr int kAnswers = 2;
  static constexpr std::chrono::seconds kSettled{90};

  void note(const std::string& server, Clock::Time now);
  /// A server has answered as it should.
  void clear() { answers_.clear(); }

  bool any() const { return !answers_.empty(); }
  /// Whether all of these servers have answered older, for long enough.
  bool settled(const std::vector<std::string>& servers, Clock::Time now) const;

 private:
  Clock::Time since_{};
  std::map<std::string, int> answers_;
};

}  // namespace winnow::live
