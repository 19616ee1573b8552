#include "cluster/client/watch/reflector_status.h"

#include <algorithm>
#include <utility>

#include "cluster/text/characters.h"

namespace winnow::live {

bool is_resource_version(std::string_view text) {
  constexpr std::string_view kGreatest = "18446744073709551615";
  if (text.empty() || text.front() == '0' || !std::ranges::all_of(text, is_digit)) return false;
  return text.size() < kGreatest.size() || (text.size() == kGreatest.size() && text <= kGreatest);
}

std::optional<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b) {
  if (!is_resource_version(a) || !is_resource_version(b)) return std::nullopt;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

bool is_older(std::string_view a, std::string_view b) {
  return compare_resource_versions(a, b) == std::strong_ordering::less;
}

void ReflectorProgress::ask(std::string_view server) {
  const MutexLock lock(mutex_);
  status_.server = server;
}

void ReflectorProgress::listed(std::string_view resource_version) {
  const MutexLock lock(mutex_);
  status_.synced = true;
  // Where the watch was refused, the list alone proves nothing.
  if (status_.unread != ReflectorStatus::kWatch) forget_lack();
  if (!status_.first_listed) status_.first_listed = clock_.now();
  status_.resource_version = resource_version;
  status_.last_word = clock_.now();
}

void ReflectorProgress::lost() {
  const MutexLock lock(mutex_);
  status_.synced = false;
  forget_lack();
}

void ReflectorProgress::forget_lack() {
  status_.unread = {};
  status_.missing_right.clear();
}

void ReflectorProgress::opened() {
  const MutexLock lock(mutex_);
  status_.connected = true;
  status_.denied.clear();
  forget_lack();
  status_.last_word = clock_.now();
}

void ReflectorProgress::advance(std::string_view resource_version) {
  const MutexLock lock(mutex_);
  status_.resource_version = resource_version;
  status_.last_word = clock_.now();
}

void ReflectorProgress::heard() {
  const MutexLock lock(mutex_);
  status_.last_word = clock_.now();
}

void ReflectorProgress::denied(std::string line) {
  const MutexLock lock(mutex_);
  status_.denied = std::move(line);
}

void ReflectorProgress::left_unread(std::string_view verb, std::string missing_right) {
  const MutexLock lock(mutex_);
  status_.unread = verb;
  status_.missing_right = std::move(missing_right);
  status_.unread_at = clock_.now();
}

void ReflectorProgress::closed(bool word) {
  const MutexLock lock(mutex_);
  if (word && status_.connected) status_.last_word = clock_.now();
  status_.connected = false;
}

std::string ReflectorProgress::resource_version() const {
  const MutexLock lock(mutex_);
  return status_.resource_version;
}

ReflectorStatus ReflectorProgress::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

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
