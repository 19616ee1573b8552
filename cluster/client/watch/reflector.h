// The reflector: keeps one resource up to date by list and watch.
//
// As in client-go, it lists the resource once, then watches from the list's resource version and applies each
// event. When the watch ends, it watches again from the last known version. It lists again only if the server
// no longer has the history from there. Two things are added for several API servers. A server that fails is
// replaced by the next one at once, and the watch continues there without a list. And the cache never goes
// back in time. An answer older than the known version is refused, until the RestoreDetector finds that etcd
// was restored.
//
// In cluster/client/watch, lister.h and watcher.h send requests and read the answers. resource.h has who gets
// objects and events. reflector_status.h has the progress. discovery.h reflects the list of API servers.
// live_cluster.h joins the reflectors of all kinds, cache_sink.h fills the cache, leader_election.h elects.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/client/servers/backoff.h"
#include "cluster/client/watch/lister.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/client/watch/resource.h"
#include "cluster/client/watch/watcher.h"
#include "cluster/mutex.h"

namespace winnow::live {

class ApiServers;

/// A reflector of one resource. run() is for one thread, status() for any. Upstream: client-go's Reflector
/// (tools/cache/reflector.go, tools/pager/pager.go v0.37.0).
///
/// It differs from client-go in these points:
/// - The first list is as new as etcd, as a stream or in pages. A stream ends with its list, and the watch is
///   a request of its own. client-go watches on in the same stream.
/// - A server that is unreachable, closes the connection, is silent or lags is replaced by the next one. That
///   happens at once, as long as one has not been tried. The watch continues there from the known version,
///   without a list.
/// - If a watch finds its history gone, and the last list is old, the next list is requested without a
///   back-off.
/// - After a watch that was silent or older, the next server is first asked for a list of one object (a
///   probe). It shows whether the server has the known version.
/// - A watch that is denied (401, 403) is tried once more before a list is. The status reports it when the
///   number of denials exceeds the number of servers: by then the credentials were read again.
/// - A resource that every server denies (403) or does not serve (404) is left unread, as KindPresence says,
///   with what was known of it before. It is asked for again after kOptionalAgain, or after a back-off where
///   it is expected or within kMayHaveStarted. But a watch of an expected one that was once open is denied as
///   a required one's is.
/// - If memory is short, what a step had begun is dropped. The objects are listed again after a back-off.
/// - Older data is accepted when the RestoreDetector finds that etcd was restored (on_rewind). While it
///   only suspects so, lists come from etcd, and older ones are refused. A restored etcd whose versions are
///   already above the known one cannot be detected.
class Reflector {
 public:
  /// All arguments must outlive the reflector.
  /// @param seed  for the random jitter.
  Reflector(Resource resource, ObjectSink& sink, ApiServers& servers, ApiTransport& transport, Clock& clock,
            ReflectorObserver& observer, std::uint64_t seed);
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Runs until `stop` is requested.
  void run(const std::stop_token& stop);

  /// Has the objects listed again at once: what the sink had of them is lost. Until then the status is not
  /// synced. Thread-safe; does not allocate.
  void list_again() noexcept;

  /// The pause before an optional resource that is not read is asked for again. The alert WinnowDenied is for
  /// what is denied more often.
  static constexpr std::chrono::minutes kOptionalAgain{5};
  /// For so long an optional resource that is denied may be so by servers that have just started, and have
  /// not read the roles. Denials for two minutes are enough for WinnowDenied, and one pause may be a minute.
  static constexpr std::chrono::seconds kMayHaveStarted{45};

  ReflectorStatus status() const { return progress_.status(); }
  const Resource& resource() const { return resource_; }

 private:
  /// The time before the next step.
  enum class Pace : std::uint8_t {
    kNow,
    kElsewhere,  ///< At once if a server has not been tried; otherwise after a back-off.
    kBackOff,
  };
  /// Sends one request to one server: a list, a probe or a watch.
  Pace step(const std::stop_token& stop);
  /// @param rewind  accepts data older than the known version.
  Pace list(const std::string& server, bool rewind, const std::stop_token& stop);
  void take_later(const Lister::Listed& listed);
  Pace list_failed(const std::string& server, const Failure& failure, bool quorum);
  /// Whether the failure is one with which Winnow does without the resource.
  bool is_dispensable(const Failure& failure) const;
  /// @param verb  see ReflectorStatus::unread.
  Pace leave_unread(const std::string& server, const Failure& failure, std::string_view verb,
                    const std::stop_token& stop);
  std::string missing_right(const Failure& failure) const;
  Pace probe(const std::string& server, const std::stop_token& stop);
  Pace watch(const std::string& server, const std::stop_token& stop);
  Pace watch_closed(const std::string& server, const Watcher::End& end, const std::stop_token& stop);
  Pace watch_failed(const std::string& server, const Watcher::End& end, const std::stop_token& stop);
  void pause(Pace pace, const std::stop_token& stop);
  /// The token of the next step. list_again() stops it, and the end of run() does.
  std::stop_token begin_attempt();
  void end_attempt() noexcept;
  /// Notes that a step has thrown.
  void dropped(const char* why);

  void report(const std::string& server, const Failure& failure);
  /// Notes that a server's answer was older than the known version.
  void behind(const std::string& server, RestoreDetector::Source source = RestoreDetector::Source::kCache);
  /// Notes that a server's answer was as new as the known version.
  void heard();

  const Resource resource_;
  ObjectSink& sink_;
  ApiServers& servers_;
  Clock& clock_;
  ReflectorObserver& observer_;
  ReflectorProgress progress_;
  // The members below belong to the thread of run().
  std::mt19937_64 random_;
  Backoff backoff_;
  RetryAfter retry_;
  Lister lister_;
  Watcher watcher_;
  RestoreDetector restore_detector_;
  std::string server_;       ///< The server that is asked now.
  bool list_due_ = true;     ///< The next step is a list; otherwise a probe or a watch.
  bool quorum_due_ = false;  ///< The next list comes from etcd: no cache has the version.
  bool probe_due_ = false;   ///< The server is probed before the next watch.
  bool watched_ = false;     ///< A watch was open.
  bool denied_ = false;      ///< The last watch was denied (401, 403).
  std::size_t denials_ = 0;  ///< Denied lists and watches since a watch was last open.
  std::size_t unread_ = 0;   ///< Servers in a row with which Winnow has to do without the resource.
  /// The first time that Winnow had to do without the resource since a watch was last open.
  std::optional<Clock::Time> refused_since_;
  Clock::Time listed_at_{};
  std::size_t tried_ = 0;  ///< Servers that failed in a row, since the last success or pause.
  // Of any thread.
  Mutex mutex_;
  std::stop_source attempt_ WINNOW_GUARDED_BY(mutex_);
  bool again_ WINNOW_GUARDED_BY(mutex_) = false;  ///< list_again() was called.
};

}  // namespace winnow::live
