// Keeps one resource equal to what the API servers say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "cluster/live/api_servers.h"
#include "cluster/live/backoff.h"
#include "cluster/live/doubt.h"
#include "cluster/live/lister.h"
#include "cluster/live/object_sink.h"
#include "cluster/live/reflector_observer.h"
#include "cluster/live/reflector_status.h"
#include "cluster/live/resource.h"
#include "cluster/live/retry_after.h"
#include "cluster/live/transport.h"
#include "cluster/live/watcher.h"

namespace winnow::live {

/// List and watch of one resource, by the rules of client-go's Reflector (tools/cache/reflector.go,
/// tools/pager/pager.go v0.37.0), over several servers, and never back in time: what is older than what is
/// known is refused, counted and asked for elsewhere. run() is for one thread, status() for any.
///
/// Where it differs from client-go:
/// - The first list is of the newest (a quorum read), not of whatever the cache has. There are no streaming
///   lists (WatchList).
/// - A server that cannot be reached, breaks off, is silent or behind is left for the next one. That happens
///   at once, as long as there is one not yet tried. A watch goes on there from what is known, without a
///   list.
/// - A list that has aged is asked for at once when a watch finds its history gone, without a back-off.
/// - After a silent or an older watch, the next server is first asked by a list of one object how far it is.
/// - A watch that is refused for who we are (401, 403) is tried once more before a list is. The status says
///   so when each server has refused, one of them twice: by then the credentials were read again.
/// - What is older is taken after all (on_rewind) when all servers that answer agree for Doubt::kSettled:
///   etcd was restored. A restored etcd that has already counted beyond what is known cannot be told from one
///   that was not.
class Reflector {
 public:
  /// Everything outlives the reflector. @param seed  of the jitter.
  Reflector(Resource resource, ObjectSink& sink, ApiServers& servers, ApiTransport& transport, Clock& clock,
            ReflectorObserver& observer, std::uint64_t seed);
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Until `stop` is requested.
  void run(const std::stop_token& stop);

  ReflectorStatus status() const { return progress_.status(); }
  const Resource& resource() const { return resource_; }

 private:
  /// How soon the next step may follow.
  enum class Pace : std::uint8_t {
    kNow,
    kElsewhere,  ///< Now, unless all servers have been tried: then after a back-off.
    kBackOff,
  };
  Pace step(const std::stop_token& stop);
  Pace list(const std::string& server, bool rewind, const std::stop_token& stop);
  Pace list_failed(const std::string& server, const Failure& failure, bool quorum);
  Pace probe(const std::string& server, const std::stop_token& stop);
  Pace watch(const std::string& server, const std::stop_token& stop);
  Pace watch_closed(const std::string& server, const Watcher::End& end, const std::stop_token& stop);
  Pace watch_failed(const std::string& server, const Watcher::End& end);
  void pause(Pace pace, const std::stop_token& stop);

  void report(const std::string& server, const Failure& failure);
  void behind(const std::string& server);
  void heard();

  const Resource resource_;
  ObjectSink& sink_;
  ApiServers& servers_;
  Clock& clock_;
  ReflectorObserver& observer_;
  ReflectorProgress progress_;
  // The rest is the running thread's.
  std::mt19937_64 random_;
  Backoff backoff_;
  RetryAfter retry_;
  Lister lister_;
  Watcher watcher_;
  Doubt doubt_;
  std::string server_;       ///< Who is asked.
  bool list_due_ = true;     ///< Otherwise a watch is.
  bool quorum_due_ = false;  ///< The list's resource version is not to be had: of the newest, then.
  bool probe_due_ = false;   ///< The server is to be asked first how far it is.
  bool denied_ = false;      ///< The last watch was refused for who we are.
  std::size_t denials_ = 0;  ///< Lists and watches refused for that since a watch was open.
  Clock::Time listed_at_{};
  std::size_t tried_ = 0;  ///< Servers that failed, one after another, since the last success or wait.
};

}  // namespace winnow::live
