#include "cluster/live/connection_pool.h"

#include <utility>

namespace winnow::live {

std::expected<std::unique_ptr<Connection>, Patience::End> ConnectionPool::take(const TlsContext* tls,
                                                                               bool fresh,
                                                                               const Patience& patience) {
  std::vector<Kept> closed;  // Destroyed when the lock is gone.
  std::unique_lock lock(mutex_);
  if (!freed_.wait_until(lock, patience.stop(), patience.until(), [this] { return taken_ < most_; }))
    return std::unexpected(patience.stop().stop_requested() ? Patience::End::kStopped
                                                            : Patience::End::kTimeout);
  ++taken_;
  const Patience::Time now = std::chrono::steady_clock::now();
  while (!kept_.empty() && now - kept_.front().since > kIdleTime) {
    closed.push_back(std::move(kept_.front()));
    kept_.erase(kept_.begin());
  }
  while (!kept_.empty()) {
    Kept last = std::move(kept_.back());
    kept_.pop_back();
    if (!fresh && last.connection->tls().get() == tls && last.connection->alive())
      return std::move(last.connection);
    closed.push_back(std::move(last));
    // A place is taken for a new connection: one old one makes room for it.
    if (fresh) break;
  }
  return nullptr;
}

void ConnectionPool::give_back(std::unique_ptr<Connection> connection) {
  const std::lock_guard lock(mutex_);
  --taken_;
  if (connection != nullptr) kept_.push_back({std::move(connection), std::chrono::steady_clock::now()});
  freed_.notify_one();
}

}  // namespace winnow::live
