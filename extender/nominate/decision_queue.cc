#include "extender/nominate/decision_queue.h"

#include <algorithm>
#include <functional>

namespace winnow {

// ---- places ----

void DecisionQueue::arrive(Entry& entry, std::string key, std::int32_t priority) {
  entry.key_ = std::move(key);
  entry.rank_ = {-std::int64_t{priority}, ++arrivals_};
}

void DecisionQueue::move(Entry& entry, Place place, Time until) {
  if (place == entry.place_) return;
  // What may throw comes first.
  if (place == Place::kActive) active_.emplace(entry.rank_, &entry);
  if (place == Place::kBackoff) backoff_.emplace(std::pair(until, entry.rank_.second), &entry);
  if (entry.place_ == Place::kActive) active_.erase(entry.rank_);
  if (entry.place_ == Place::kBackoff) backoff_.erase({entry.until_, entry.rank_.second});
  entry.place_ = place;
  entry.until_ = until;
}

void DecisionQueue::go_behind(Entry& entry) {
  const Place place = entry.place_;
  const Time until = entry.until_;
  put(entry, Place::kNowhere);
  entry.rank_.second = ++arrivals_;
  move(entry, place, until);
}

void DecisionQueue::remove(Entry& entry) {
  put(entry, Place::kNowhere);
  drop_ticket(entry);
}

DecisionQueue::Entry* DecisionQueue::first(Time now) {
  while (!backoff_.empty() && backoff_.begin()->first.first <= now)
    put(*backoff_.begin()->second, Place::kActive);
  return active_.empty() ? nullptr : active_.begin()->second;
}

// ---- tickets ----

Ticket DecisionQueue::new_ticket(Entry& entry) {
  drop_ticket(entry);
  tickets_[last_ticket_ + 1] = &entry;
  return entry.ticket_ = ++last_ticket_;
}

void DecisionQueue::drop_ticket(Entry& entry) { tickets_.erase(std::exchange(entry.ticket_, 0)); }

DecisionQueue::Entry* DecisionQueue::find(Ticket ticket) {
  const auto found = tickets_.find(ticket);
  return found == tickets_.end() ? nullptr : found->second;
}

// ---- rounds ----

void DecisionQueue::begin_round(std::vector<const Entry*> pods) {
  std::ranges::sort(pods, std::greater(), &Entry::rank_);
  for (const Entry* const pod : pods) round_.push_back(pod->key_);
}

std::optional<std::string> DecisionQueue::next_of_round() {
  if (round_.empty()) return std::nullopt;
  std::string key = std::move(round_.back());
  round_.pop_back();
  return key;
}

}  // namespace winnow
