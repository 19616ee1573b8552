// The kept connections of one server.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <expected>
#include <memory>
#include <vector>

#include "cluster/client/transport/http_client.h"
#include "cluster/client/transport/transport.h"
#include "cluster/mutex.h"

namespace winnow::live {

class TlsContext;

/// A bounded number of connections, in use or kept. A caller that finds none free waits. Connections that
/// were idle for too long, or that the server has closed, are closed at the next call. Thread-safe.
class ConnectionPool {
 public:
  /// The idle time after which a connection is closed. An API server closes it after 90 s itself.
  static constexpr auto kIdleTime = std::chrono::seconds(60);

  explicit ConnectionPool(std::size_t most) : most_(most) {}

  /// Takes a place, and the kept connection that was used last and is alive. give_back() returns the place.
  /// @param tls  the certificates for new connections; connections of other certificates are closed.
  /// @param fresh  true: no kept connection is wanted, because one has just failed.
  /// @return the connection; null: the place has none; kTimeout or kStopped: no place became free.
  std::expected<std::unique_ptr<HttpClient>, Deadline::End> take(const TlsContext* tls, bool fresh,
                                                                 const Deadline& deadline);
  /// Gives a place back, also if it throws. @param client  kept for reuse; null if its connection cannot be
  /// used again.
  void give_back(std::unique_ptr<HttpClient> client);
  /// Closes connections that cannot be used again. For servers that nobody asks any more.
  void prune();

 private:
  struct Kept {
    std::unique_ptr<HttpClient> client;
    Deadline::Time since;
  };
  /// Takes out connections that were idle for too long. The caller destroys them after unlocking.
  std::vector<Kept> take_idle() WINNOW_REQUIRES(mutex_);

  const std::size_t most_;
  Mutex mutex_;
  std::condition_variable_any freed_;
  std::vector<Kept> kept_ WINNOW_GUARDED_BY(mutex_);  ///< The one used last is the last.
  std::size_t taken_ WINNOW_GUARDED_BY(mutex_) = 0;   ///< : places in use.
};

}  // namespace winnow::live
