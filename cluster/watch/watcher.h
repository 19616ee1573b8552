// Watches a resource.
//
// The idea: a watch is one long answer, a line an event, that begins behind the resource version asked for.
// Each event moves what is known forward, so that the next watch, at any server, begins where this one
// ended. Bookmarks do the same while nothing changes, once a minute; so a stream that is silent for longer
// is not to be trusted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/servers/retry_after.h"
#include "cluster/transport/transport.h"
#include "cluster/watch/object_sink.h"
#include "cluster/watch/reflector_observer.h"
#include "cluster/watch/reflector_status.h"
#include "cluster/watch/watch_stream.h"

namespace winnow::live {

/// One watch after another, each from one server. For one thread. Upstream: client-go's handleWatch
/// (tools/cache/reflector.go v0.37.0).
class Watcher {
 public:
  /// The server is asked to end the watch after a time between these two.
  static constexpr std::chrono::seconds kShortestTimeout{300};
  static constexpr std::chrono::seconds kLongestTimeout{600};
  static constexpr std::chrono::seconds kLimit{30};  ///< Until the answer's head is there.
  /// A server sends a bookmark each minute. One that is silent for so long may be cut off or frozen. Or it is
  /// behind, and sends no event that is older than what is known.
  static constexpr std::chrono::seconds kSilence{75};

  /// Everything outlives the watcher.
  /// @param on_word  is told of each piece that brought events.
  Watcher(const Resource& resource, ObjectSink& sink, ApiTransport& transport, Clock& clock,
          const RetryAfter& retry, ReflectorProgress& progress, ReflectorObserver& observer,
          std::uint64_t seed);

  struct End {
    std::optional<Failure> failure;  ///< Nothing: the server closed the watch.
    bool opened = false;
    bool advanced = false;  ///< It brought a newer resource version than was known.
    Clock::Duration lasted{};
  };
  /// Watches from the highest resource version that is known until the watch ends.
  End watch(const std::string& server, const std::function<void()>& on_word, const std::stop_token& stop);

 private:
  struct Heard {
    std::size_t events = 0;
    bool changed = false;  ///< The sink has something to flush.
  };
  bool take_piece(std::string_view piece, WatchStream& stream, End& end);
  bool take(const WatchEvent& event, End& end, Heard& heard);
  std::optional<Failure> check(const WatchEvent& event) const;
  std::string path();

  const Resource& resource_;
  ObjectSink& sink_;
  ApiTransport& transport_;
  Clock& clock_;
  const RetryAfter& retry_;
  ReflectorProgress& progress_;
  ReflectorObserver& observer_;
  std::mt19937_64 random_;
  // Of the watch that is on.
  std::string server_;
  std::string known_;
};

}  // namespace winnow::live
