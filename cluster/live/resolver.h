// Host names to addresses, with a time limit.
#pragma once

#include <sys/socket.h>

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/live/patience.h"

namespace winnow::live {

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

/// The system's resolver cannot be interrupted: each name is looked up in a thread of its own, which those
/// who ask at the same time share, and which is left behind when they lose patience. Nothing is kept.
/// Thread-safe.
class Resolver {
 public:
  /// In the order to try them. @return or one line; on kTimeout or kStopped, patience.check() says which.
  std::expected<std::vector<SocketAddress>, std::string> resolve(const std::string& host, std::uint16_t port,
                                                                 const Patience& patience);

 private:
  struct Lookup;
  struct Shared {
    std::mutex mutex;
    std::condition_variable_any done;
    std::map<std::string, std::shared_ptr<Lookup>> running;  ///< Guarded by mutex, as every Lookup.
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  ///< Outlives the resolver in its threads.
};

}  // namespace winnow::live
