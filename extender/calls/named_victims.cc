#include "extender/calls/named_victims.h"

#include <algorithm>

namespace winnow {

void NamedVictims::named(const std::string& pod_uid, std::vector<MetaVictims> victims) {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.pod_uid == pod_uid; });
  entries_.push_front({pod_uid, std::move(victims), std::nullopt});
  if (entries_.size() > kPods) entries_.pop_back();
}

bool NamedVictims::are_gone(std::string_view pod_uid, Time now) {
  const MutexLock lock(mutex_);
  const auto entry = std::ranges::find(entries_, pod_uid, &Entry::pod_uid);
  if (entry == entries_.end()) return false;
  if (!entry->gone) entry->gone = now;
  return now - *entry->gone < kBelief;
}

bool NamedVictims::would_be_gone(std::string_view pod_uid, Time now) const {
  const MutexLock lock(mutex_);
  const auto entry = std::ranges::find(entries_, pod_uid, &Entry::pod_uid);
  return entry != entries_.end() && (!entry->gone || now - *entry->gone < kBelief);
}

std::vector<std::string> NamedVictims::on(std::string_view pod_uid, std::string_view node) const {
  const MutexLock lock(mutex_);
  const auto entry = std::ranges::find(entries_, pod_uid, &Entry::pod_uid);
  if (entry == entries_.end()) return {};
  const auto victims = std::ranges::find(entry->victims, node, &MetaVictims::node_name);
  return victims == entry->victims.end() ? std::vector<std::string>() : victims->uids;
}

}  // namespace winnow
