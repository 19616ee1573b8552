#include "cluster/watch/restore_detector.h"

#include <algorithm>

namespace winnow::live {

void RestoreDetector::note(const std::string& server, Clock::Time now, Source source) {
  if (older_.empty()) since_ = now;
  Older& older = older_[server];
  ++older.answers;
  if (source == Source::kEtcd) older.from_etcd = true;
  silent_since_.erase(server);
}

void RestoreDetector::note_silence(const std::string& server, Clock::Time now) {
  silent_since_.try_emplace(server, now);
}

void RestoreDetector::note_presence(const std::string& server) { silent_since_.erase(server); }

void RestoreDetector::clear() {
  older_.clear();
  silent_since_.clear();
}

bool RestoreDetector::suspected(const std::vector<std::string>& servers, Clock::Time now) const {
  return all_are_older(servers, now, false);
}

bool RestoreDetector::settled(const std::vector<std::string>& servers, Clock::Time now) const {
  return all_are_older(servers, now, true);
}

bool RestoreDetector::all_are_older(const std::vector<std::string>& servers, Clock::Time now,
                                    bool from_etcd) const {
  if (older_.empty() || now - since_ < kSettled) return false;
  const auto is_older = [&](const std::string& server) {
    const auto found = older_.find(server);
    return found != older_.end() && found->second.answers >= kAnswers &&
           (found->second.from_etcd || !from_etcd);
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
