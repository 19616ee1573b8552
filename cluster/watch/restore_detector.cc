#include "cluster/watch/restore_detector.h"

#include <algorithm>

namespace winnow::live {

void RestoreDetector::note(const std::string& server, Clock::Time now) {
  if (answers_.empty()) since_ = now;
  ++answers_[server];
  silent_since_.erase(server);
}

void RestoreDetector::note_silence(const std::string& server, Clock::Time now) {
  silent_since_.try_emplace(server, now);
}

void RestoreDetector::note_presence(const std::string& server) { silent_since_.erase(server); }

void RestoreDetector::clear() {
  answers_.clear();
  silent_since_.clear();
}

bool RestoreDetector::settled(const std::vector<std::string>& servers, Clock::Time now) const {
  if (answers_.empty() || now - since_ < kSettled) return false;
  const auto is_older = [&](const std::string& server) {
    const auto found = answers_.find(server);
    return found != answers_.end() && found->second >= kAnswers;
  };
  const auto is_gone = [&](const std::string& server) {
    const auto found = silent_since_.find(server);
    return found != silent_since_.end() && now - found->second >= kGone;
  };
  return std::ranges::any_of(servers, is_older) &&
         std::ranges::all_of(servers,
                             [&](const std::string& server) { return is_older(server) || is_gone(server); });
}

}  // namespace winnow::live
