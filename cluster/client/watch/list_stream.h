// A list that an API server streams (WatchList): each object as an event, and a bookmark behind the last one.
//
// Neither side holds the whole list as one text. The server takes the objects from its watch cache, and waits
// until that is as new as the list must be.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/api_status.h"
#include "cluster/clock.h"

namespace winnow::live {

class ApiTransport;
class ObjectSink;
class ReflectorObserver;
class RetryAfter;
struct Resource;
struct WatchEvent;

/// A change that came between the objects of a streamed list and its bookmark.
struct LaterEvent {
  bool is_gone = false;  ///< DELETED; otherwise ADDED or MODIFIED.
  std::string object;    ///< JSON.
};

struct StreamedList {
  /// Every change up to this version is in the objects that the sink got.
  std::string resource_version;
  std::size_t objects = 0;
  std::vector<LaterEvent> later;  ///< In order.
  std::string later_version;      ///< The version that `later` reaches; "" without it.
};

/// Reads lists as streams. For one thread. Upstream: client-go's watchList (tools/cache/reflector.go
/// v0.37.0).
///
/// A server that does not stream refuses the request, or never sends the bookmark. It is not asked again for
/// a stream.
class ListStream {
 public:
  static constexpr std::chrono::seconds kLimit{30};    ///< For the head of the answer.
  static constexpr std::chrono::seconds kSilence{15};  ///< Between two pieces.
  static constexpr std::size_t kObjects = 5'000'000;   ///< As in Lister.
  /// The most bytes of `later`. A list that changes faster than it is sent is read in pages.
  static constexpr std::size_t kLaterBytes = std::size_t{64} << 20;

  /// All arguments must outlive the stream. @param observer  gets on_slow_list() only.
  ListStream(const Resource& resource, ObjectSink& sink, ApiTransport& transport, Clock& clock,
             const RetryAfter& retry, ReflectorObserver& observer)
      : resource_(resource),
        sink_(sink),
        transport_(transport),
        clock_(clock),
        retry_(retry),
        observer_(observer) {}

  /// Passes a complete list to the sink, without the final end_list().
  /// @param not_older_than  the minimum resource version; "": that of etcd.
  /// @param known  an older list is refused (kOlder); "" accepts any.
  /// @return nothing if the server does not stream. The sink may have got a part of a list then, or of one
  ///   that failed.
  std::expected<std::optional<StreamedList>, Failure> list(const std::string& server,
                                                           std::string_view not_older_than,
                                                           std::string_view known,
                                                           const std::stop_token& stop);

 private:
  struct Reading;
  std::string path(std::string_view not_older_than) const;
  bool take(const WatchEvent& event, Reading& reading);
  bool take_object(const WatchEvent& event, Reading& reading);
  bool take_later(const WatchEvent& event, Reading& reading);
  void take_bookmark(const WatchEvent& event, Reading& reading);

  const Resource& resource_;
  ObjectSink& sink_;
  ApiTransport& transport_;
  Clock& clock_;
  const RetryAfter& retry_;
  ReflectorObserver& observer_;
  std::set<std::string, std::less<>> without_;  ///< The servers that do not stream.
};

}  // namespace winnow::live
