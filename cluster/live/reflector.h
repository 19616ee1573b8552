// Keeps one resource equal to what the API servers say.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

#include "cluster/live/api_servers.h"
#include "cluster/live/object_sink.h"
#include "cluster/live/transport.h"

namespace winnow::live {

/// What to list and watch.
struct Resource {
  std::string name;            ///< "pods"
  std::string path;            ///< "/api/v1/pods"
  std::string kind;            ///< "Pod": a list's kind is this and "List".
  std::string field_selector;  ///< "" for every object.
};

/// Why a list or a watch did not go on.
enum class Trouble : std::uint8_t {
  kUnreachable,  ///< No connection.
  kBroken,       ///< The stream or the answer was cut.
  kTimeout,      ///< No answer in time, or a silent stream.
  kExpired,      ///< 410, or an ERROR event that says so: the history is gone.
  kTooLarge,     ///< "Too large resource version": the server is behind.
  kThrottled,    ///< 429.
  kDenied,       ///< 401 or 403.
  kRefused,      ///< Any other status, or ERROR event.
  kMalformed,    ///< Not what an API server says.
  kShortWatch,   ///< Closed at once without an event.
  kOlder,        ///< Older than what is known: refused.
};
inline constexpr std::size_t kTroubles = 11;
std::string_view to_string(Trouble trouble);  ///< "unreachable", …, as a metric's label has it.

/// Is told what happens, for counters and the log. Any reflector's thread.
class ReflectorObserver {
 public:
  virtual ~ReflectorObserver() = default;
  virtual void on_list(const Resource&, std::string_view server, std::size_t objects) = 0;  ///< Taken in.
  virtual void on_watch(const Resource&, std::string_view server) = 0;                      ///< Opened.
  virtual void on_events(const Resource&, std::string_view server, std::size_t events) = 0;
  virtual void on_bookmark(const Resource&, std::string_view server) = 0;
  /// @param message one line for people, nothing secret.
  virtual void on_trouble(const Resource&, std::string_view server, Trouble, std::string_view message) = 0;
  /// Older data was taken after all: every server has been asked for long enough (a restored etcd).
  virtual void on_rewind(const Resource&, std::string_view from, std::string_view to) = 0;
};

struct ReflectorStatus {
  bool synced = false;           ///< A whole list has been taken in.
  Clock::Time last_word{};       ///< When a server last said anything that is as new as what is known.
  std::string resource_version;  ///< "" before the first list.
  std::string server;
};

/// List and watch of one resource, by the rules of client-go's Reflector (tools/cache/reflector.go,
/// tools/pager/pager.go v0.37.0), over several servers, and never back in time: what is older than what is
/// known is refused, counted and asked for elsewhere. run() is for one thread, status() for any.
class Reflector {
 public:
  /// Everything outlives the reflector. @param seed  of the jitter.
  Reflector(Resource resource, ObjectSink& sink, ApiServers& servers, ApiTransport& transport, Clock& clock,
            ReflectorObserver& observer, std::uint64_t seed);

  /// Until `stop` is requested.
  void run(const std::stop_token& stop);

  ReflectorStatus status() const;
  const Resource& resource() const { return resource_; }

 private:
  const Resource resource_;
  ObjectSink& sink_;
  ApiServers& servers_;
  ApiTransport& transport_;
  Clock& clock_;
  ReflectorObserver& observer_;
  std::mt19937_64 random_;
  mutable std::mutex mutex_;
  ReflectorStatus status_;  ///< Guarded by mutex_.
};

}  // namespace winnow::live
