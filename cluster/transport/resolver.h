// The resolver of host names, with a time limit.
#pragma once

#include <sys/socket.h>

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/transport/deadline.h"

namespace winnow::live {

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

/// Looks names up with the system's resolver, which cannot be interrupted. So each look-up has a thread of
/// its own. Callers that ask for the same name at the same time share it, and leave it behind when their
/// deadlines pass. Results are not cached. Thread-safe.
class Resolver {
 public:
  /// @return the addresses in the order to try them, or an error in one line. When the deadline has passed or
  /// the caller has stopped it, deadline.check() tells which.
  std::expected<std::vector<SocketAddress>, std::string> resolve(const std::string& host, std::uint16_t port,
                                                                 const Deadline& deadline);

 private:
  struct Lookup;
  struct Shared {
    Mutex mutex;
    std::condition_variable_any done;
    std::map<std::string, std::shared_ptr<Lookup>> running WINNOW_GUARDED_BY(mutex);
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  ///< Outlives the resolver in its threads.
};

}  // namespace winnow::live
