// The kept connections of one server.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <expected>
#include <memory>
#include <mutex>
#include <vector>

#include "cluster/live/connection.h"
#include "cluster/live/patience.h"

namespace winnow::live {

/// At most so many connections at a time, in use or not; who finds none waits. What has been idle for too
/// long, or was closed by the server, is closed when somebody calls. Thread-safe.
class ConnectionPool {
 public:
  /// What nobody has used for this long is closed: an API server closes it after 90 s itself.
  static constexpr auto kIdleTime = std::chrono::seconds(60);

  explicit ConnectionPool(std::size_t most) : most_(most) {}

  /// Takes a place, to be given back by give_back(), and the kept connection that was used last and is alive.
  /// @param tls  what connections are made with now; those of other certificates are closed.
  /// @param fresh  a kept connection has failed: none is wanted.
  /// @return null for a place without a connection; kTimeout or kStopped if no place became free.
  std::expected<std::unique_ptr<Connection>, Patience::End> take(const TlsContext* tls, bool fresh,
                                                                 const Patience& patience);
  /// Gives a place back, with the connection if it can be used again, else null.
  void give_back(std::unique_ptr<Connection> connection);
  /// Closes what nobody will use again. For servers that nobody asks any more.
  void prune();

 private:
  struct Kept {
    std::unique_ptr<Connection> connection;
    Patience::Time since;
  };
  /// Takes out what has been idle for too long, to be destroyed when the lock is gone. Under mutex_.
  std::vector<Kept> take_idle();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::vector<Kept> kept_;  ///< Guarded by mutex_; the one used last is the last.
  std::size_t taken_ = 0;   ///< Guarded by mutex_: places in use.
};

}  // namespace winnow::live
