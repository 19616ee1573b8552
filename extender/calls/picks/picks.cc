#include "extender/calls/picks/picks.h"

#include <utility>

namespace winnow {

TextMap<std::uint32_t> Picks::not_followed(std::string_view pod_uid) const {
  const MutexLock lock(mutex_);
  const auto it = by_pod_.find(pod_uid);
  return it == by_pod_.end() ? TextMap<std::uint32_t>() : it->second->times;
}

/// The pod's entry, which is the latest now.
Picks::Entry& Picks::entry_of(std::string_view pod_uid) {
  if (const auto it = by_pod_.find(pod_uid); it != by_pod_.end()) {
    entries_.splice(entries_.begin(), entries_, it->second);
  } else {
    entries_.push_front({std::string(pod_uid), {}});
    by_pod_[entries_.front().pod_uid] = entries_.begin();
  }
  if (entries_.size() > kPods) {
    by_pod_.erase(entries_.back().pod_uid);
    entries_.pop_back();
  }
  return entries_.front();
}

void Picks::answered(std::string_view pod_uid, std::string_view node) {
  const MutexLock lock(mutex_);
  ++entry_of(pod_uid).times[std::string(node)];
}

void Picks::repeat(std::string_view pod_uid, TextMap<std::uint32_t> times) {
  const MutexLock lock(mutex_);
  entry_of(pod_uid).times = std::move(times);
}

}  // namespace winnow
