#include "cluster/live/doubt.h"

#include <algorithm>

namespace winnow::live {

void Doubt::note(const std::string& server, Clock::Time now) {
  if (answers_.empty()) since_ = now;
  ++answers_[server];
}

bool Doubt::settled(const std::vector<std::string>& servers, Clock::Time now) const {
  if (answers_.empty() || now - since_ < kSettled) return false;
  return std::ranges::all_of(servers, [&](const std::string& server) {
    const auto found = answers_.find(server);
    return found != answers_.end() && found->second >= kAnswers;
  });
}

}  // namespace winnow::live
