#include "cluster/client/watch/reflector.h"

#include <exception>
#include <utility>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/reflector_status.h"

namespace winnow::live {
namespace {

// A shorter watch has failed: a server or a proxy that cannot serve it has closed it.
constexpr std::chrono::seconds kShort{1};
// The minimum time between the starts of two watches, if the first was closed early.
constexpr std::chrono::seconds kEarly{10};
/// After one of so many watches, on average, the next one goes to another server. So a server that came back
/// gets its share within an hour or two, and never all at once.
constexpr std::uint64_t kMoves = 8;
/// A list older than this is renewed without a back-off when a watch finds its history gone, as after an
/// outage. After a younger list there is a back-off, because that list did not help.
constexpr std::chrono::minutes kAged{1};

/// Whether a server has answered, whatever it said. A 504, which is a timeout too, is what a proxy answers in
/// the place of a server that is gone.
bool is_answer(const Failure& failure) {
  switch (failure.watch_error) {
    case WatchError::kUnreachable:
    case WatchError::kBroken:
    case WatchError::kTimeout:
    case WatchError::kNoMemory:
      return false;
    default:
      return true;
  }
}

}  // namespace

Reflector::Reflector(Resource resource, ObjectSink& sink, ApiServers& servers, ApiTransport& transport,
                     Clock& clock, ReflectorObserver& observer, std::uint64_t seed)
    : resource_(std::move(resource)),
      sink_(sink),
      servers_(servers),
      clock_(clock),
      observer_(observer),
      progress_(clock),
      random_(seed),
      backoff_(random_()),
      retry_(
          clock, [this](const ApiResponse& answer) { report(server_, failure_of(answer)); },
          [this] { return servers_.servers().size(); }),
      lister_(resource_, sink, transport, clock, retry_, observer),
      watcher_(resource_, sink, transport, clock, retry_, progress_, observer, random_()) {}

void Reflector::run(const std::stop_token& stop) {
  const std::stop_callback end(stop, [this] { end_attempt(); });
  while (!stop.stop_requested()) {
    try {
      const std::stop_token attempt = begin_attempt();
      // A stop that was requested before the attempt began has not reached it.
      if (!stop.stop_requested()) pause(step(attempt), attempt);
    } catch (const SinkLost& lost) {
      dropped(lost.what());
    } catch (const std::exception& error) {  // Out of memory. No other exception is expected here.
      dropped(error.what());
      clock_.sleep(backoff_.next(clock_.now()), stop);
    }
  }
}

std::stop_token Reflector::begin_attempt() {
  const MutexLock lock(mutex_);
  if (attempt_.stop_requested()) attempt_ = std::stop_source();
  if (std::exchange(again_, false)) list_due_ = true;
  return attempt_.get_token();
}

void Reflector::end_attempt() noexcept {
  std::stop_source attempt(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    attempt = attempt_;
  }
  attempt.request_stop();
}

void Reflector::list_again() noexcept {
  {
    const MutexLock lock(mutex_);
    again_ = true;
    progress_.lost();
  }
  end_attempt();
}

void Reflector::dropped(const char* why) {
  list_due_ = true;
  tried_ = 0;
  progress_.closed(false);
  try {
    report(server_, {WatchError::kNoMemory, why});
  } catch (const std::exception&) {  // To tell of it takes memory, too.
  }
}

Reflector::Pace Reflector::step(const std::stop_token& stop) {
  server_ = servers_.choose(resource_.name);
  progress_.ask(server_);
  const std::vector<std::string> servers = servers_.servers();
  if (restore_detector_.settled(servers, clock_.now())) return list(server_, true, stop);
  if (restore_detector_.suspected(servers, clock_.now())) list_due_ = quorum_due_ = true;
  if (list_due_) return list(server_, false, stop);
  if (probe_due_) return probe(server_, stop);
  return watch(server_, stop);
}

void Reflector::pause(Pace pace, const std::stop_token& stop) {
  if (pace == Pace::kNow) return;
  if (pace == Pace::kElsewhere && ++tried_ < servers_.servers().size()) return;
  tried_ = 0;
  clock_.sleep(backoff_.next(clock_.now()), stop);
}

Reflector::Pace Reflector::list(const std::string& server, bool rewind, const std::stop_token& stop) {
  const std::string known = progress_.resource_version();
  const bool from_etcd = rewind || quorum_due_;
  const std::string from = from_etcd ? "" : known;
  const auto listed = lister_.list(server, from, rewind ? "" : known, from_etcd, stop);
  if (!listed && stop.stop_requested()) return Pace::kNow;
  if (!listed && is_dispensable(listed.error()))
    return leave_unread(server, listed.error(), ReflectorStatus::kList, stop);
  if (!listed) return list_failed(server, listed.error(), from.empty());
  if (is_older(listed->resource_version, known))
    observer_.on_rewind(resource_, known, listed->resource_version);
  sink_.end_list(listed->resource_version);
  {
    const MutexLock lock(mutex_);
    if (again_) return Pace::kNow;
    progress_.listed(listed->resource_version);
  }
  observer_.on_list(resource_, server, listed->objects);
  if (!listed->later.empty()) take_later(*listed);
  list_due_ = quorum_due_ = false;
  unread_ = 0;
  listed_at_ = clock_.now();
  tried_ = 0;
  heard();
  return Pace::kNow;
}

/// Takes in what has happened while the list was streamed.
void Reflector::take_later(const Lister::Listed& listed) {
  try {
    for (const LaterEvent& event : listed.later)
      if (!(event.is_gone ? sink_.remove(event.object) : sink_.set(event.object))) throw SinkLost();
    sink_.flush();
  } catch (...) {
    // Readers may have seen some of it: the list that follows may not be older.
    progress_.advance(listed.later_version);
    throw;
  }
  progress_.advance(listed.later_version);
}

Reflector::Pace Reflector::list_failed(const std::string& server, const Failure& failure, bool quorum) {
  report(server, failure);
  switch (failure.watch_error) {
    case WatchError::kExpired:
    case WatchError::kTooLarge:
      if (failure.watch_error == WatchError::kTooLarge) behind(server);
      if (quorum) break;
      quorum_due_ = true;
      return Pace::kNow;
    case WatchError::kOlder:
      behind(server, quorum ? RestoreDetector::Source::kEtcd : RestoreDetector::Source::kCache);
      quorum_due_ = false;
      servers_.choose_another(resource_.name, server);
      // The last server has confirmed a restore: there is nothing to wait for.
      return restore_detector_.settled(servers_.servers(), clock_.now()) ? Pace::kNow : Pace::kElsewhere;
    case WatchError::kUnreachable:
    case WatchError::kBroken:
    case WatchError::kTimeout:
      restore_detector_.note_silence(server, clock_.now());
      [[fallthrough]];
    case WatchError::kOversized:  // The lister will ask for pages from now on.
      servers_.choose_another(resource_.name, server);
      return Pace::kElsewhere;
    default:
      break;
  }
  servers_.choose_another(resource_.name, server);
  return Pace::kBackOff;
}

bool Reflector::is_dispensable(const Failure& failure) const {
  if (failure.status != 403 && failure.status != 404) return false;
  // What was read and is denied now is not as if it had never been there.
  return resource_.presence == kOptional || (resource_.presence == kExpected && !watched_);
}

std::string Reflector::missing_right(const Failure& failure) const {
  if (failure.status == 403) return denial(403, "", failure.message);
  return resource_.presence == kOptional ? "" : "no API server serves them: " + failure.message;
}

Reflector::Pace Reflector::leave_unread(const std::string& server, const Failure& failure,
                                        std::string_view verb, const std::stop_token& stop) {
  restore_detector_.note_presence(server);
  servers_.choose_another(resource_.name, server);
  // In an upgrade some servers may serve it, and others not yet.
  if (++unread_ < servers_.servers().size()) return Pace::kNow;
  unread_ = 0;
  list_due_ = true;
  if (progress_.status().synced) {
    sink_.leave_unread();
  } else {  // The cache waits for a list from each of its sources.
    sink_.begin_list();
    sink_.end_list({});
  }
  {
    const MutexLock lock(mutex_);
    if (again_) return Pace::kNow;
    progress_.left_unread(verb, missing_right(failure));
  }
  const Clock::Time now = clock_.now();
  if (!refused_since_) refused_since_ = now;
  if (resource_.presence == kExpected) return Pace::kBackOff;
  if (failure.status == 403 && now - *refused_since_ < kMayHaveStarted) return Pace::kBackOff;
  clock_.sleep(kOptionalAgain, stop);
  return Pace::kNow;
}

Reflector::Pace Reflector::probe(const std::string& server, const std::stop_token& stop) {
  const auto answer = lister_.probe(server, progress_.resource_version(), stop);
  if (answer) {
    progress_.heard();
    heard();
    return Pace::kNow;
  }
  if (stop.stop_requested()) return Pace::kNow;
  report(server, answer.error());
  switch (answer.error().watch_error) {
    case WatchError::kTooLarge:
    case WatchError::kOlder:
      behind(server);
      break;
    case WatchError::kUnreachable:
    case WatchError::kBroken:
    case WatchError::kTimeout:
      restore_detector_.note_silence(server, clock_.now());
      break;
    case WatchError::kThrottled:
      servers_.choose_another(resource_.name, server);
      return Pace::kBackOff;
    default:
      // A server that refuses the probe may still answer a list.
      list_due_ = true;
      return Pace::kBackOff;
  }
  servers_.choose_another(resource_.name, server);
  return Pace::kElsewhere;
}

Reflector::Pace Reflector::watch(const std::string& server, const std::stop_token& stop) {
  const auto on_word = [this] {
    servers_.renew(resource_.name);
    heard();
  };
  const Watcher::End end = watcher_.watch(server, on_word, stop);
  if (stop.stop_requested()) return Pace::kNow;
  if (end.opened) {
    watched_ = true;
    refused_since_.reset();
    denied_ = false;
    denials_ = 0;
    restore_detector_.note_presence(server);
  }
  if (end.opened && end.lasted >= kShort) tried_ = 0;
  return end.failure ? watch_failed(server, end, stop) : watch_closed(server, end, stop);
}

Reflector::Pace Reflector::watch_closed(const std::string& server, const Watcher::End& end,
                                        const std::stop_token& stop) {
  if (end.lasted < kShort && !end.advanced) {
    // Some servers close a watch like this when they no longer have the history.
    report(server, {WatchError::kShortWatch, "the watch was closed at once"});
    list_due_ = true;
    servers_.choose_another(resource_.name, server);
    return Pace::kBackOff;
  }
  if (end.lasted < kEarly) {
    if (!end.advanced) return Pace::kBackOff;
    // The server works, but ends watches early. A growing back-off would only make the cache older.
    clock_.sleep(kEarly - end.lasted, stop);
  }
  if (random_() % kMoves == 0) servers_.choose_another(resource_.name, server);
  return Pace::kNow;
}

Reflector::Pace Reflector::watch_failed(const std::string& server, const Watcher::End& end,
                                        const std::stop_token& stop) {
  if (!watched_ && is_dispensable(*end.failure))
    return leave_unread(server, *end.failure, ReflectorStatus::kWatch, stop);
  report(server, *end.failure);
  const WatchError watch_error = end.failure->watch_error;
  // The token may just have expired. The next request has the current token.
  if (watch_error == WatchError::kDenied && !std::exchange(denied_, true)) return Pace::kNow;
  if (watch_error == WatchError::kExpired) {
    list_due_ = true;
    return clock_.now() - listed_at_ > kAged ? Pace::kNow : Pace::kBackOff;
  }
  servers_.choose_another(resource_.name, server);
  switch (watch_error) {
    case WatchError::kUnreachable:
    case WatchError::kBroken:
    case WatchError::kTimeout:
      if (!end.opened) restore_detector_.note_silence(server, clock_.now());
      if (end.opened && watch_error == WatchError::kTimeout) probe_due_ = true;
      return end.opened && end.lasted >= kShort ? Pace::kNow : Pace::kElsewhere;
    case WatchError::kTooLarge:
    case WatchError::kOlder:
      behind(server);
      return Pace::kElsewhere;
    case WatchError::kThrottled:
      return Pace::kBackOff;
    default:
      list_due_ = true;
      return Pace::kBackOff;
  }
}

void Reflector::report(const std::string& server, const Failure& failure) {
  if (is_answer(failure)) restore_detector_.note_presence(server);
  observer_.on_error(resource_, server, failure.watch_error, failure.message);
  if (failure.watch_error == WatchError::kDenied && !is_dispensable(failure) &&
      ++denials_ > servers_.servers().size())
    progress_.denied(denial(failure.status, "list or watch of " + resource_.name, failure.message));
}

void Reflector::behind(const std::string& server, RestoreDetector::Source source) {
  restore_detector_.note(server, clock_.now(), source);
  probe_due_ = true;
}

void Reflector::heard() {
  restore_detector_.clear();
  probe_due_ = false;
}

}  // namespace winnow::live
