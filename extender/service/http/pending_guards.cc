#include "extender/service/http/pending_guards.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace winnow::http {

// A semaphore: each entry that is handed back makes one event, and so one thread takes it.
PendingGuards::PendingGuards() : fd_(::eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC)) {}
PendingGuards::~PendingGuards() {
  if (fd_ >= 0) ::close(fd_);
}

Admit PendingGuards::make(Registry::Entry* entry, std::uint64_t& ticket) {
  const MutexLock lock(mutex_);
  ticket = ++tickets_;
  waiting_.emplace(ticket, Waiting{entry});
  return [self = shared_from_this(), ticket](std::optional<Response> refusal) {
    self->admit(ticket, std::move(refusal));
  };
}

void PendingGuards::keep(std::uint64_t ticket) {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return;
  found->second.kept = true;
  if (found->second.decided) hand_back(ticket);
}

void PendingGuards::forget(std::uint64_t ticket) {
  if (ticket == 0) return;
  const MutexLock lock(mutex_);
  waiting_.erase(ticket);
}

void PendingGuards::admit(std::uint64_t ticket, std::optional<Response> refusal) {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end() || found->second.decided) return;
  found->second.decided = true;
  found->second.refusal = std::move(refusal);
  if (found->second.kept) hand_back(ticket);
}

void PendingGuards::hand_back(std::uint64_t ticket) {
  auto node = waiting_.extract(ticket);
  decided_.push_back({node.mapped().entry, std::move(node.mapped().refusal)});
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);
}

std::optional<PendingGuards::Decided> PendingGuards::next() {
  const MutexLock lock(mutex_);
  if (decided_.empty()) return std::nullopt;
  std::uint64_t one = 0;
  [[maybe_unused]] const auto got = ::read(fd_, &one, sizeof one);
  Decided first = std::move(decided_.front());
  decided_.pop_front();
  return first;
}

void PendingGuards::close() {
  const MutexLock lock(mutex_);
  waiting_.clear();
  decided_.clear();
}

}  // namespace winnow::http
