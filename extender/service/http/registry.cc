#include "extender/service/http/registry.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>

#include <algorithm>

namespace winnow::http {
namespace {

constexpr std::uint64_t kAlarmId = 0;

bool has_unread_input(int fd) {
  int bytes = 0;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

Registry::Entry* Registry::add(Owned entry) {
  const MutexLock lock(mutex_);
  Entry* raw = entry.get();
  raw->id_ = next_id_++;
  raw->list_ = &busy_;
  raw->place_ = busy_.insert(busy_.end(), raw);
  unproven_.emplace(raw->id_, raw);
  entries_.emplace(raw->id_, std::move(entry));
  return raw;
}

Registry::Entry* Registry::claim(std::uint64_t id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second->owned_) return nullptr;
  Entry* entry = found->second.get();
  take(*entry);
  return entry;
}

void Registry::take(Entry& entry) {
  entry.owned_ = true;
  if (entry.idle_) --idle_count_;
  entry.idle_ = false;
  move_to(busy_, entry);
}

void Registry::move_to(std::list<Entry*>& list, Entry& entry) {
  list.splice(list.end(), *entry.list_, entry.place_);
  entry.list_ = &list;
}

void Registry::park(Entry* entry, bool for_write) {
  Owned closing;  // destroyed outside the lock
  const MutexLock lock(mutex_);
  const bool idle = entry->connection.idle();
  if (draining_ && idle && !has_unread_input(entry->connection.fd())) {
    closing = extract(entry);
    return;
  }
  entry->owned_ = false;
  entry->idle_ = idle;
  if (idle) ++idle_count_;
  if (entry->unproven_ && entry->connection.proven()) forget_unproven(*entry);
  if (idle && !entry->unproven_) move_to(idle_, *entry);
  set_timer(*entry);
  // Armed under the lock: after unlocking, another thread may close the connection, and its descriptor's
  // number may be used by a new one.
  epoll_event event{};
  event.events = (for_write ? EPOLLOUT : EPOLLIN) | static_cast<unsigned>(EPOLLONESHOT);
  event.data.u64 = entry->id_;
  ::epoll_ctl(epoll_fd_, entry->armed_before_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, entry->connection.fd(),
              &event);
  entry->armed_before_ = true;
}

void Registry::forget_unproven(Entry& entry) {
  if (entry.unproven_) unproven_.erase(entry.id_);
  entry.unproven_ = false;
}

void Registry::remove(Entry* entry) {
  Owned closing;
  const MutexLock lock(mutex_);
  closing = extract(entry);
}

Registry::Owned Registry::extract(Entry* entry) {
  if (entry->timer_ != kNever) timers_.erase({entry->timer_, entry->id_});
  if (entry->idle_) --idle_count_;
  entry->list_->erase(entry->place_);
  forget_unproven(*entry);
  auto node = entries_.extract(entry->id_);
  if (entries_.empty()) emptied_.notify_all();
  return std::move(node.mapped());
}

bool Registry::evict() {
  Owned closing;
  const MutexLock lock(mutex_);
  // Few have an owner: no more than there are threads.
  const auto oldest = std::ranges::find_if(unproven_, [](const auto& one) { return !one.second->owned_; });
  if (oldest == unproven_.end() && idle_.empty()) return false;
  closing = extract(oldest != unproven_.end() ? oldest->second : idle_.front());
  return true;
}

// A timer may be set for a moment before the deadline; when it fires it is set again. So a busy connection,
// whose deadline moves with every request, changes the set of timers rarely.
void Registry::set_timer(Entry& entry) {
  const auto deadline = entry.connection.deadline();
  if (deadline >= entry.timer_) return;
  if (entry.timer_ != kNever) timers_.erase({entry.timer_, entry.id_});
  timers_.emplace(deadline, entry.id_);
  entry.timer_ = deadline;
  program_timer();
}

void Registry::program_timer() {
  const auto first = timers_.empty() ? kNever : timers_.begin()->first;
  if (first == programmed_) return;
  itimerspec spec{};
  if (first != kNever) {
    const auto since_boot = std::chrono::nanoseconds(first.time_since_epoch());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    spec.it_value.tv_sec = seconds.count();
    spec.it_value.tv_nsec = (since_boot - seconds).count();
  }
  ::timerfd_settime(timer_fd_, TFD_TIMER_ABSTIME, &spec, nullptr);
  programmed_ = first;
}

Registry::Expired Registry::take_expired() {
  const MutexLock lock(mutex_);
  const auto now = Clock::now();
  Expired expired;
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const auto id = timers_.begin()->second;
    timers_.erase(timers_.begin());
    const auto found = entries_.find(id);
    if (found == entries_.end()) {
      expired.alarm = expired.alarm || id == kAlarmId;
      continue;
    }
    Entry& entry = *found->second;
    entry.timer_ = kNever;
    if (entry.owned_) continue;  // park() sets the timer again
    if (entry.connection.deadline() > now) {
      set_timer(entry);
      continue;
    }
    take(entry);
    expired.entries.push_back(&entry);
  }
  // The descriptor's timer has fired or is out of date: this value makes program_timer() set it in any case.
  programmed_ = Clock::time_point::min();
  program_timer();
  return expired;
}

void Registry::set_alarm(Clock::time_point when) {
  const MutexLock lock(mutex_);
  timers_.emplace(when, kAlarmId);
  program_timer();
}

void Registry::drain() {
  std::vector<Owned> closing;
  const MutexLock lock(mutex_);
  draining_ = true;
  std::vector<Entry*> parked(idle_.begin(), idle_.end());
  for (const auto& [id, entry] : unproven_)
    if (!entry->owned_ && entry->idle_) parked.push_back(entry);
  for (Entry* const entry : parked)
    if (!has_unread_input(entry->connection.fd())) closing.push_back(extract(entry));
}

bool Registry::wait_empty(Clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (!entries_.empty() && mutex_.wait_until(emptied_, deadline)) {
  }
  return entries_.empty();
}

void Registry::clear() {
  const MutexLock lock(mutex_);
  timers_.clear();
  unproven_.clear();
  for (auto* list : {&idle_, &busy_}) list->clear();
  entries_.clear();
}

std::size_t Registry::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

std::size_t Registry::idle() const {
  const MutexLock lock(mutex_);
  return idle_count_;
}

}  // namespace winnow::http
