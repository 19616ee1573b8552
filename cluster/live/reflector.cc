#include "cluster/live/reflector.h"

#include <utility>

#include "cluster/live/api_status.h"
#include "cluster/live/resource_version.h"

namespace winnow::live {
namespace {

/// A watch that ends before has failed: closed by a server or a proxy that cannot serve it.
constexpr std::chrono::seconds kShort{1};
/// A watch that was closed before is not opened again at once: after its beginning that of the next one is at
/// least this far away.
constexpr std::chrono::seconds kEarly{10};
/// At the end of one watch in so many its successor moves to another server, so that one that came back gets
/// its share within an hour or two and never all at once.
constexpr std::uint64_t kMoves = 8;
/// History may well be gone after an outage: a list that is older is renewed at once. A younger one has been
/// tried.
constexpr std::chrono::minutes kAged{1};

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
      lister_(resource_, sink, transport, retry_),
      watcher_(resource_, sink, transport, clock, retry_, progress_, observer, random_()) {}

void Reflector::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) pause(step(stop), stop);
}

Reflector::Pace Reflector::step(const std::stop_token& stop) {
  server_ = servers_.choose(resource_.name);
  progress_.ask(server_);
  if (doubt_.settled(servers_.servers(), clock_.now())) return list(server_, true, stop);
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
  const std::string from = rewind || quorum_due_ ? "" : known;
  const auto listed = lister_.list(server, from, rewind ? "" : known, stop);
  if (!listed) return stop.stop_requested() ? Pace::kNow : list_failed(server, listed.error(), from.empty());
  if (is_older(listed->resource_version, known))
    observer_.on_rewind(resource_, known, listed->resource_version);
  sink_.end_list(listed->resource_version);
  progress_.listed(listed->resource_version);
  observer_.on_list(resource_, server, listed->objects);
  list_due_ = quorum_due_ = false;
  listed_at_ = clock_.now();
  tried_ = 0;
  heard();
  return Pace::kNow;
}

Reflector::Pace Reflector::list_failed(const std::string& server, const Failure& failure, bool quorum) {
  report(server, failure);
  switch (failure.trouble) {
    case Trouble::kExpired:
    case Trouble::kTooLarge:
      if (failure.trouble == Trouble::kTooLarge) behind(server);
      if (quorum) break;
      quorum_due_ = true;
      return Pace::kNow;
    case Trouble::kOlder:
      behind(server);
      quorum_due_ = false;
      servers_.choose_another(resource_.name, server);
      return Pace::kElsewhere;
    case Trouble::kUnreachable:
    case Trouble::kBroken:
    case Trouble::kTimeout:
      doubt_.note_silence(server, clock_.now());
      [[fallthrough]];
    case Trouble::kOversized:  // The lister asks for pages from now on.
      servers_.choose_another(resource_.name, server);
      return Pace::kElsewhere;
    default:
      break;
  }
  servers_.choose_another(resource_.name, server);
  return Pace::kBackOff;
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
  switch (answer.error().trouble) {
    case Trouble::kTooLarge:
    case Trouble::kOlder:
      behind(server);
      break;
    case Trouble::kUnreachable:
    case Trouble::kBroken:
    case Trouble::kTimeout:
      doubt_.note_silence(server, clock_.now());
      break;
    case Trouble::kThrottled:
      servers_.choose_another(resource_.name, server);
      return Pace::kBackOff;
    default:
      // A server that does not know how to answer this knows how to list.
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
    denied_ = false;
    denials_ = 0;
  }
  if (end.opened && end.lasted >= kShort) tried_ = 0;
  return end.failure ? watch_failed(server, end) : watch_closed(server, end, stop);
}

Reflector::Pace Reflector::watch_closed(const std::string& server, const Watcher::End& end,
                                        const std::stop_token& stop) {
  if (end.lasted < kShort && !end.advanced) {
    // Some servers close like this when they no longer have the history.
    report(server, {Trouble::kShortWatch, "the watch was closed at once"});
    list_due_ = true;
    servers_.choose_another(resource_.name, server);
    return Pace::kBackOff;
  }
  if (end.lasted < kEarly) {
    if (!end.advanced) return Pace::kBackOff;
    // It works, though not for long: a growing wait would only make us blind.
    clock_.sleep(kEarly - end.lasted, stop);
  }
  if (random_() % kMoves == 0) servers_.choose_another(resource_.name, server);
  return Pace::kNow;
}

Reflector::Pace Reflector::watch_failed(const std::string& server, const Watcher::End& end) {
  report(server, *end.failure);
  const Trouble trouble = end.failure->trouble;
  // A token may have run out just now: the next request has the one that is there by then.
  if (trouble == Trouble::kDenied && !std::exchange(denied_, true)) return Pace::kNow;
  if (trouble == Trouble::kExpired) {
    list_due_ = true;
    return clock_.now() - listed_at_ > kAged ? Pace::kNow : Pace::kBackOff;
  }
  servers_.choose_another(resource_.name, server);
  switch (trouble) {
    case Trouble::kUnreachable:
    case Trouble::kBroken:
    case Trouble::kTimeout:
      if (!end.opened) doubt_.note_silence(server, clock_.now());
      if (end.opened && trouble == Trouble::kTimeout) probe_due_ = true;
      return end.opened && end.lasted >= kShort ? Pace::kNow : Pace::kElsewhere;
    case Trouble::kTooLarge:
    case Trouble::kOlder:
      behind(server);
      return Pace::kElsewhere;
    case Trouble::kThrottled:
      return Pace::kBackOff;
    default:
      list_due_ = true;
      return Pace::kBackOff;
  }
}

void Reflector::report(const std::string& server, const Failure& failure) {
  observer_.on_trouble(resource_, server, failure.trouble, failure.message);
  if (failure.trouble == Trouble::kDenied && ++denials_ > servers_.servers().size())
    progress_.denied(denial(failure.status, "list or watch of " + resource_.name, failure.message));
}

void Reflector::behind(const std::string& server) {
  doubt_.note(server, clock_.now());
  probe_due_ = true;
}

void Reflector::heard() {
  doubt_.clear();
  probe_due_ = false;
}

}  // namespace winnow::live
