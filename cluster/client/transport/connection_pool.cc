#include "cluster/client/transport/connection_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace winnow::live {

std::expected<std::unique_ptr<HttpClient>, Deadline::End> ConnectionPool::take(const TlsContext* tls,
                                                                               bool fresh,
                                                                               const Deadline& deadline) {
  std::vector<Kept> closed, idle;  // Destroyed when the lock is gone.
  const MutexLock lock(mutex_);
  const auto free = [this]() WINNOW_REQUIRES(mutex_) { return taken_ < most_; };
  if (!freed_.wait_until(mutex_, deadline.stop(), deadline.until(), free))
    return std::unexpected(deadline.stop().stop_requested() ? Deadline::End::kStopped
                                                            : Deadline::End::kTimeout);
  idle = take_idle();
  closed.reserve(kept_.size());
  ++taken_;  // Nothing throws from here on: the place would be lost.
  while (!kept_.empty()) {
    Kept last = std::move(kept_.back());
    kept_.pop_back();
    if (!fresh && last.client->tls().get() == tls && last.client->alive()) return std::move(last.client);
    closed.push_back(std::move(last));
    // One kept connection is closed, to make room for the new one.
    if (fresh) break;
  }
  return nullptr;
}

void ConnectionPool::give_back(std::unique_ptr<HttpClient> client) {
  std::vector<Kept> idle;
  const MutexLock lock(mutex_);
  --taken_;
  freed_.notify_one();
  if (client != nullptr) kept_.push_back({std::move(client), std::chrono::steady_clock::now()});
  idle = take_idle();
}

void ConnectionPool::prune() {
  std::vector<Kept> useless;
  const MutexLock lock(mutex_);
  useless = take_idle();
  for (Kept& kept : kept_)
    if (!kept.client->alive()) useless.push_back(std::move(kept));
  std::erase_if(kept_, [](const Kept& kept) { return kept.client == nullptr; });
}

std::vector<ConnectionPool::Kept> ConnectionPool::take_idle() {
  const Deadline::Time now = std::chrono::steady_clock::now();
  const auto fresh =
      std::ranges::find_if(kept_, [&](const Kept& kept) { return now - kept.since <= kIdleTime; });
  std::vector<Kept> idle(std::make_move_iterator(kept_.begin()), std::make_move_iterator(fresh));
  kept_.erase(kept_.begin(), fresh);
  return idle;
}

}  // namespace winnow::live
