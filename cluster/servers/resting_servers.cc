#include "cluster/servers/resting_servers.h"

#include <algorithm>

namespace winnow::live {

void RestingServers::heard(const std::string& server, const ApiResponse& answer) {
  if (!answer.retry_after || (answer.status != 429 && answer.status / 100 != 5)) return;
  const Clock::Time now = clock_.now();
  const MutexLock lock(mutex_);
  std::erase_if(until_, [&](const auto& rest) { return rest.second <= now; });
  Clock::Time& until = until_[server];
  until = std::max(until, now + std::clamp(*answer.retry_after, kShortest, kLongest));
}

Clock::Time RestingServers::until(const std::string& server) const {
  const MutexLock lock(mutex_);
  const auto rest = until_.find(server);
  return rest == until_.end() ? Clock::Time::min() : rest->second;
}

}  // namespace winnow::live
