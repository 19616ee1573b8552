// Keeps one resource equal to what the API servers say.
//
// The idea, as in client-go: list the resource once, then watch from the list's resource version and apply
// each event. When the watch ends, watch again from the last version that is known; list again only where
// the server no longer has the history from there. Two things are added for several API servers. A server
// that fails is left at once for the next one, and the watch goes on there without a list. And the picture
// never goes back in time: an answer older than what is known is refused, until restore_detector.h says that
// etcd itself was set back.
//
// cluster/watch does this for one resource. lister.h and watcher.h ask a server; list_page.h and
// watch_stream.h read its answers. object_sink.h is where the objects go. reflector_status.h says how far it
// has come, and reflector_observer.h is told what happens. discovery.h reflects the list of API servers
// itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <stop_token>
#include <string>

#include "cluster/servers/api_servers.h"
#include "cluster/servers/backoff.h"
#include "cluster/servers/retry_after.h"
#include "cluster/transport/transport.h"
#include "cluster/watch/lister.h"
#include "cluster/watch/object_sink.h"
#include "cluster/watch/reflector_observer.h"
#include "cluster/watch/reflector_status.h"
#include "cluster/watch/resource.h"
#include "cluster/watch/restore_detector.h"
#include "cluster/watch/watcher.h"

namespace winnow::live {

/// Lists and watches one resource. run() is for one thread, status() for any. Upstream: client-go's Reflector
/// (tools/cache/reflector.go, tools/pager/pager.go v0.37.0).
///
/// Where it differs from client-go:
/// - The first list is of the newest (a quorum read), not of whatever the cache has. There are no streaming
///   lists (WatchList).
/// - A server that cannot be reached, breaks off, is silent or is behind is left for the next one. That
///   happens at once, as long as there is one not yet tried. A watch goes on there from what is known,
///   without a list.
/// - Where a watch finds its history gone, and the last list is old, the next list is asked for without a
///   back-off.
/// - After a watch that was silent or older, the next server is first asked how far it is, by a list of one
///   object (a probe).
/// - A watch that is refused for who we are (401, 403) is tried once more before a list is. The status says
///   so when each server has refused, one of them twice: by then the credentials were read again.
/// - Older data is taken after all when the RestoreDetector says that etcd was restored (on_rewind). A
///   restored etcd that has already counted beyond what is known cannot be told from one that was not
///   restored.
class Reflector {
 public:
  /// Everything outlives the reflector.
  /// @param seed  of the jitter.
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
  /// Asks one server once: for a list, a probe or a watch.
  Pace step(const std::stop_token& stop);
  /// @param rewind  older data than what is known is taken.
  Pace list(const std::string& server, bool rewind, const std::stop_token& stop);
  Pace list_failed(const std::string& server, const Failure& failure, bool quorum);
  Pace probe(const std::string& server, const std::stop_token& stop);
  Pace watch(const std::string& server, const std::stop_token& stop);
  Pace watch_closed(const std::string& server, const Watcher::End& end, const std::stop_token& stop);
  Pace watch_failed(const std::string& server, const Watcher::End& end);
  void pause(Pace pace, const std::stop_token& stop);

  void report(const std::string& server, const Failure& failure);
  /// A server has answered older than what is known.
  void behind(const std::string& server);
  /// A server has answered something as new as what is known.
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
  RestoreDetector restore_detector_;
  std::string server_;       ///< The server that is asked.
  bool list_due_ = true;     ///< The next step is a list, otherwise a watch.
  bool quorum_due_ = false;  ///< The next list is of the newest in etcd: no cache has the version asked for.
  bool probe_due_ = false;   ///< Before a watch the server is asked how far it is.
  bool denied_ = false;      ///< The last watch was refused for who we are (401, 403).
  std::size_t denials_ = 0;  ///< Lists and watches that were refused so since a watch was last open.
  Clock::Time listed_at_{};
  std::size_t tried_ = 0;  ///< Servers that failed, one after another, since the last success or wait.
};

}  // namespace winnow::live
