// The counters that all connections of one server share.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "extender/http/message.h"

namespace winnow::http {

/// Any thread writes. No other data depends on the numbers, so relaxed memory order is enough.
struct Tally {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> handler_threw{0};
  std::atomic<std::uint64_t> idle_expired{0};
  std::atomic<std::uint64_t> evicted{0};
  std::atomic<std::uint64_t> client_gone{0};
  std::array<std::atomic<std::uint64_t>, kCauses> refused{};
  std::atomic<std::size_t> buffered_bytes{0};  ///< held by connections for requests and unsent responses
  std::atomic<std::size_t> stranger_bytes{0};  ///< those of them that are strangers'; see Limits

  static void add(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }
  void refuse(Cause cause) { add(refused[static_cast<std::size_t>(cause)]); }
};

}  // namespace winnow::http
