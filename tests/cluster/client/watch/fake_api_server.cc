#include "tests/cluster/client/watch/fake_api_server.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cluster/client/servers/api_status.h"
#include "tests/failing_memory.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = Fault::Kind;

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '%') {
      out += static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  return out;
}

template <class Map>
Map parameters_of(std::string_view path) {
  Map parameters;
  std::size_t at = path.find('?');
  while (at != std::string_view::npos) {
    path.remove_prefix(at + 1);
    at = path.find('&');
    const std::string_view pair = path.substr(0, at);
    const std::size_t equals = pair.find('=');
    parameters[std::string(pair.substr(0, equals))] = percent_decoded(pair.substr(equals + 1));
  }
  return parameters;
}

template <class Map>
std::string get(const Map& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

/// Calls the code under test.
bool hand_over(const ApiTransport::OnPiece& on_piece, std::string_view piece) {
  const test::CodeUnderTest theirs;
  return on_piece(piece);
}

FakeEtcd::Version number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

ApiResponse refusal(int code, std::string_view reason, std::string_view message,
                    std::string_view details = "") {
  return {.status = code, .body = status_json(code, reason, message, details)};
}

}  // namespace

std::string status_json(int code, std::string_view reason, std::string_view message,
                        std::string_view details) {
  std::string text = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")";
  text.append(message).append(R"(","reason":")").append(reason).append("\"");
  if (!details.empty()) text.append(R"(,"details":)").append(details);
  return text + ",\"code\":" + std::to_string(code) + "}";
}

bool FakeApiServer::has(Kind kind, Clock::Time at) const {
  return std::ranges::any_of(faults,
                             [&](const Fault& f) { return f.kind == kind && f.from <= at && at < f.to; });
}

Clock::Time FakeApiServer::end_of(Kind kind, Clock::Time at) const {
  for (bool moved = true; moved;) {
    moved = false;
    for (const Fault& f : faults)
      if (f.kind == kind && f.from <= at && at < f.to) {
        at = f.to;
        moved = true;
      }
  }
  return at;
}

Clock::Time FakeApiServer::next(Kind kind, Clock::Time at) const {
  Clock::Time time = Clock::Time::max();
  for (const Fault& f : faults)
    if (f.kind == kind && f.to > at) time = std::min(time, std::max(f.from, at));
  return time;
}

const FakeApiServer* FakeWorld::server(std::string_view url) const {
  const auto found = std::ranges::find(servers, url, &FakeApiServer::url);
  return found == servers.end() ? nullptr : &*found;
}

const Resource* FakeWorld::resource(std::string_view path) const {
  const auto found = std::ranges::find(resources, path.substr(0, path.find('?')), &Resource::path);
  return found == resources.end() ? nullptr : &*found;
}

FakeEtcd::Version FakeWorld::cached(const FakeApiServer& server, Clock::Time at) const {
  const FakeEtcd::Era& era = etcd.era(at);
  // After a restore the API servers start anew, so they know all that was restored.
  const auto known = [&](const FakeEtcd::Change& change) {
    return change.at < era.from || server.visible(change.at) <= at;
  };
  const auto after = std::ranges::partition_point(era.changes, known);
  return after == era.changes.begin() ? 1 : std::prev(after)->version;
}

FakeEtcd::Version FakeWorld::compacted(const FakeApiServer& server, Clock::Time at) const {
  const Clock::Duration kept = server.has(Kind::kOldHistory, at) ? Clock::Duration(seconds(2)) : history;
  return at - kept <= etcd.era(at).from ? 0 : etcd.version(at - kept);
}

Clock::Duration FakeTransport::up_to(Clock::Duration longest) {
  return milliseconds(static_cast<std::int64_t>(
      random_() % static_cast<std::uint64_t>(std::chrono::ceil<milliseconds>(longest).count() + 1)));
}

FakeTransport::Answer FakeTransport::broken(std::string message) const {
  return std::unexpected(TransportError{TransportError::Kind::kBroken, std::move(message)});
}

/// Simulates the connection and the wait for the answer. @return the fault's answer, if there is a fault.
std::optional<FakeTransport::Answer> FakeTransport::arrive(const FakeApiServer& server, Clock::Duration limit,
                                                           const std::stop_token& stop) {
  using Error = TransportError::Kind;
  Clock::Duration takes = milliseconds(1) + up_to(milliseconds(20));
  const Clock::Time now = clock_.now();
  if (auto instead = refuse_connection(server)) return instead;
  if (server.has(Kind::kDown, now)) {
    clock_.advance(takes);
    return std::unexpected(TransportError{Error::kUnreachable, "connection refused"});
  }
  if (server.has(Kind::kSlow, now)) takes += up_to(one_in(4) ? seconds(70) : seconds(3));
  if (server.has(Kind::kHung, now)) takes += server.end_of(Kind::kHung, now) - now;
  const Clock::Time ends = world_.client.later(now, limit);
  const Clock::Time answered_at = world_.client.awake(now + takes);
  if (server.has(Kind::kHalfOpen, now) || answered_at >= ends) {
    clock_.advance_to(ends);
    return std::unexpected(TransportError{Error::kTimeout, "no answer in time"});
  }
  clock_.advance_to(answered_at);
  if (stop.stop_requested()) return std::unexpected(TransportError{Error::kStopped, "stopped"});
  if (server.has(Kind::kDown, clock_.now()) || server.has(Kind::kRestarted, clock_.now()))
    return broken("connection reset by peer");
  return std::nullopt;
}

/// An answer that does not fit the request.
std::optional<FakeTransport::Answer> FakeTransport::refuse(const FakeApiServer& server) {
  const Clock::Time now = clock_.now();
  if (server.has(Kind::kThrottling, now) && !one_in(8)) {
    ApiResponse answer =
        refusal(429, "TooManyRequests", "storage is (re)initializing", R"({"retryAfterSeconds":1})");
    if (!one_in(4)) answer.retry_after = seconds(1 + random_() % 3);
    return answer;
  }
  if (server.has(Kind::kFailing, now) && !one_in(4)) {
    switch (random_() % 5) {
      case 0:
        return refusal(500, "InternalError", "etcdserver: leader changed");
      case 1:
        return ApiResponse{.status = 503, .body = "upstream connect error", .retry_after = seconds(1)};
      case 2:
        return ApiResponse{.status = 503, .body = "<html>no healthy upstream</html>"};
      case 3:
        return refusal(401, "Unauthorized", "Unauthorized");
      default:
        return refusal(403, "Forbidden", "pods is forbidden");
    }
  }
  if (server.has(Kind::kFlaky, now) && one_in(3)) return broken("connection reset by peer");
  return std::nullopt;
}

/// Both, and notes whether the server has answered.
std::optional<FakeTransport::Answer> FakeTransport::begin(const FakeApiServer& server, Clock::Duration limit,
                                                          const std::stop_token& stop) {
  auto instead = arrive(server, limit, stop);
  if (!instead) instead = refuse(server);
  if (!instead || *instead) answered[server.url] = clock_.now();
  return instead;
}

ApiResponse FakeTransport::garbage(const Asked& asked) {
  const std::string version = std::to_string(world_.cached(asked.server, clock_.now()));
  const std::string list = R"({"kind":")" + asked.resource.kind + R"(List","apiVersion":"v1","metadata":{)";
  switch (random_() % 6) {
    case 0:
      return {.status = 200, .body = "<html>please log in</html>"};
    case 1:
      return {.status = 200,
              .body = R"({"kind":"Table","metadata":{"resourceVersion":")" + version + R"("},"rows":[]})"};
    case 2:
      return {.status = 200, .body = list + R"("resourceVersion":"None"},"items":[]})"};
    case 3:
      return {.status = 200, .body = list + R"(},"items":[]})"};
    case 4:
      return {.status = 200, .body = list + R"("resourceVersion":")" + version + R"("},"items":[7]})"};
    default:
      return {.status = 200, .body = list};
  }
}

/// As from an API server, the answer also has the header Retry-After.
ApiResponse FakeTransport::too_large(const Asked& asked, FakeEtcd::Version version) const {
  const std::string text = "Too large resource version: " + std::to_string(version) +
                           ", current: " + std::to_string(world_.cached(asked.server, clock_.now()));
  constexpr std::string_view kCause =
      R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1})";
  constexpr std::string_view kOldCause = R"({"causes":[{"message":"Too large resource version"}]})";
  ApiResponse answer = asked.server.too_large_style == 0 ? refusal(504, "Timeout", text, kCause)
                       : asked.server.too_large_style == 1
                           ? refusal(504, "Timeout", "Timeout: request did not complete", kOldCause)
                           : refusal(504, "Timeout", "Timeout: " + text);
  answer.retry_after = seconds(1);
  return answer;
}

/// A token is "version/first name".
ApiResponse FakeTransport::page(const Asked& asked, FakeEtcd::Version version, const std::string& start) {
  const auto objects = FakeEtcd::objects(world_.etcd.era(clock_.now()), version, asked.resource.name);
  const std::string limit = get(asked.parameters, "limit");
  // Pages are small, so that a list has several.
  std::size_t left = limit.empty() ? objects.size() : std::min<std::size_t>(number(limit), 8);
  std::string items, next;
  for (auto at = objects.lower_bound(start); at != objects.end(); ++at) {
    if (left-- == 0) {
      next = std::to_string(version) + "/" + at->first;
      break;
    }
    items += (items.empty() ? "" : ",") + at->second;
  }
  std::string body =
      R"({"kind":")" + asked.resource.kind + R"(List","apiVersion":"v1","metadata":{"resourceVersion":")";
  body += std::to_string(version) + "\"" + (next.empty() ? "" : R"(,"continue":")" + next + "\"");
  body += "},\"items\":" + (items.empty() && one_in(2) ? "null" : "[" + items + "]") + "}";
  return {.status = 200, .body = std::move(body)};
}

ApiResponse FakeTransport::list(const Asked& asked) {
  const FakeApiServer& server = asked.server;
  const std::string wanted = get(asked.parameters, "resourceVersion");
  if (const std::string token = get(asked.parameters, "continue"); !token.empty()) {
    if (!wanted.empty())
      return refusal(400, "BadRequest", "resource version is not allowed when using continue");
    const std::size_t slash = token.find('/');
    const FakeEtcd::Version version = number(token.substr(0, slash));
    const bool gone =
        version < world_.compacted(server, clock_.now()) || version > world_.etcd.version(clock_.now());
    if (gone || (server.has(Kind::kOldHistory, clock_.now()) && one_in(2)))
      return refusal(410, "Expired", "The provided continue parameter is too old");
    return page(asked, version, token.substr(slash + 1));
  }
  if (wanted.empty() && !server.quorum_from_cache) return page(asked, world_.etcd.version(clock_.now()), "");
  if (number(wanted) > world_.cached(server, clock_.now()) && !server.ignores_not_older) {
    clock_.advance(seconds(3));  // It waits for its cache to catch up.
    if (number(wanted) > world_.cached(server, clock_.now())) return too_large(asked, number(wanted));
  }
  if (server.has(Kind::kOldHistory, clock_.now()) && !wanted.empty() && one_in(4))
    return refusal(410, "Gone", "The resourceVersion for the provided list is too old.");
  return page(asked, world_.cached(server, clock_.now()), "");
}

FakeTransport::Answer FakeTransport::call(const std::string& server, const ApiRequest& request,
                                          std::chrono::milliseconds limit, const std::stop_token& stop) {
  const test::TestCode own;
  sent.push_back({clock_.now(), server, request.path});
  tell(server + request.path);
  const Asked asked{pick(server), *world_.resource(request.path), parameters_of<Parameters>(request.path)};
  shorten_memory();
  if (auto instead = begin(asked.server, limit, stop)) return *instead;
  if (asked.server.has(Kind::kGarbage, clock_.now()) && !one_in(3)) return garbage(asked);
  ApiResponse answer = list(asked);
  if (world_.is_large && answer.status == 200 && get(asked.parameters, "limit").empty())
    return std::unexpected(TransportError{TransportError::Kind::kOversized, "the answer is too large"});
  return cut(asked.server, std::move(answer));
}

std::string FakeTransport::error_event() {
  std::string status;
  switch (random_() % 5) {
    case 0:
      status = status_json(410, "Expired", "too old resource version: 1 (2)");
      break;
    case 1:
      status = status_json(410, "Gone", "too old resource version: 1 (2)");
      break;
    case 2:
      status = status_json(429, "TooManyRequests", "too many requests", R"({"retryAfterSeconds":1})");
      break;
    case 3:
      status = status_json(500, "InternalError", "etcd event received with PrevKv=nil");
      break;
    default:
      status = R"({"kind":"Status","message":"something else"})";
      break;
  }
  return R"({"type":"ERROR","object":)" + status + "}\n";
}

std::string FakeTransport::odd_event(const Asked& asked, FakeEtcd::Version version) {
  const std::string head = R"({"type":"ADDED","object":{"kind":")";
  const std::string meta = R"(","apiVersion":"v1","metadata":{"name":"odd","resourceVersion":")";
  switch (random_() % 5) {
    case 0:
      return R"({"type":"SYNCED","object":{"kind":")" + asked.resource.kind + meta + "99999999\"}}}\n";
    case 1:
      return head + "Table" + meta + std::to_string(version) + "\"}}}\n";
    case 2:
      return head + asked.resource.kind + meta + "None\"}}}\n";
    case 3:
      return "<html>bad gateway</html>\n";
    default:
      return head + asked.resource.kind + "\",\"metadata\":{}}}\n";
  }
}

std::string FakeTransport::bookmark(Open& open) {
  const FakeEtcd::Version version = world_.cached(open.asked.server, clock_.now());
  if (version < open.from && !open.asked.server.sends_old_bookmarks) return {};
  const bool ends_a_list = std::exchange(open.ends_a_list, false);
  return R"({"type":"BOOKMARK","object":{"kind":")" + open.asked.resource.kind +
         R"(","apiVersion":"v1","metadata":{"resourceVersion":")" + std::to_string(version) + "\"" +
         (ends_a_list ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") +
         R"(},"spec":{"containers":null}}})"
         "\n";
}

/// The events up to the present time.
std::string FakeTransport::gather(Open& open) {
  std::vector<std::string> events;
  while (open.next < open.era.changes.size() && open.events > 0) {
    const FakeEtcd::Change& change = open.era.changes[open.next];
    if (std::max(open.asked.server.visible(change.at), open.opened) > clock_.now()) break;
    ++open.next;
    if (change.version <= open.from || change.resource != open.asked.resource.name) continue;
    events.push_back(R"({"type":")" + change.type + R"(","object":)" + change.object + "}\n");
    --open.events;
  }
  if (open.asked.server.has(Kind::kUnordered, clock_.now())) disturb(open, events);
  std::string text;
  for (const std::string& event : events) text += event;
  return text;
}

/// Hands the text out in pieces of any size. @return the end of the stream, if it comes before the text's.
std::optional<FakeTransport::Answer> FakeTransport::deliver(Open& open, std::string_view text) {
  while (!text.empty()) {
    std::size_t size = one_in(3) ? text.size() : 1 + random_() % text.size();
    size = std::min(size, open.left);
    if (size > 0 && !hand_over(open.on_piece, text.substr(0, size))) return ApiResponse{.status = 200};
    if (size > 0) open.last_piece = clock_.now();
    text.remove_prefix(size);
    open.left -= size;
    if (open.left == 0) {
      // Some proxies end a broken stream in order, as if it were complete.
      if (one_in(4)) return ApiResponse{.status = 200};
      return broken("connection reset by peer");
    }
    if (open.stop.stop_requested()) return broken("stopped");
  }
  return std::nullopt;
}

FakeTransport::Answer FakeTransport::run(Open& open) {
  const FakeApiServer& server = open.asked.server;
  for (;;) {
    const Clock::Time now = clock_.now();
    // The time of what comes next: an event, a bookmark, the end of the watch, a fault, or our deadline.
    Clock::Time event = Clock::Time::max();
    if (open.next < open.era.changes.size())
      event = std::max(now, server.visible(open.era.changes[open.next].at));
    Clock::Time speaks = std::min({event, open.bookmark_at, open.until});
    speaks = server.end_of(Kind::kHung, std::max(speaks, now));
    if (open.dead) speaks = Clock::Time::max();
    Clock::Time breaks = std::min(server.next(Kind::kDown, now), server.next(Kind::kRestarted, now));
    for (const FakeEtcd::Era& era : world_.etcd.eras())
      if (era.from > open.opened) breaks = std::min(breaks, era.from);
    const Clock::Time dies = server.next(Kind::kHalfOpen, now);
    const Clock::Time silent = world_.client.later(open.last_piece, open.idle);
    const Clock::Time first = std::min({speaks, breaks, dies, silent});
    clock_.advance_to(world_.client.awake(first));
    if (open.stop.stop_requested()) return broken("stopped");
    if (first == silent && first < speaks)
      return std::unexpected(TransportError{TransportError::Kind::kTimeout, "silent for too long"});
    if (!open.dead && first == breaks) return broken("connection reset by peer");
    if (first == dies || open.dead) {
      // The transport's keep-alive probes notice it.
      open.dead = true;
      open.idle = std::min(open.idle, Clock::Duration(seconds(45)));
      clock_.advance_to(open.last_piece + open.idle);
      return std::unexpected(TransportError{TransportError::Kind::kTimeout, "the connection is dead"});
    }
    std::string text = gather(open);
    if (clock_.now() >= open.bookmark_at) {
      open.bookmark_at = clock_.now() + seconds(50) + up_to(seconds(15));
      if (open.events > 0 && !server.has(Kind::kNoBookmarks, clock_.now())) text += bookmark(open);
    }
    if (!text.empty() && server.has(Kind::kGarbage, clock_.now()) && one_in(3))
      text += odd_event(open.asked, world_.cached(server, clock_.now()));
    const bool error = server.has(Kind::kErrorEvents, clock_.now()) && one_in(3);
    if (error) text += error_event();
    if (auto end = deliver(open, text)) return *end;
    if (!text.empty() && is_renewed(open)) return ApiResponse{.status = 200};
    if (error || open.events == 0) return ApiResponse{.status = 200};
    if (clock_.now() >= open.until) {
      timed_out = clock_.now();
      return ApiResponse{.status = 200};
    }
  }
}

/// Begins a stream with the objects of a list. The bookmark behind them comes a little later, and changes may
/// come before it. @return the end of the stream, if it comes here.
std::optional<FakeTransport::Answer> FakeTransport::begin_list(Open& open) {
  const FakeApiServer& server = open.asked.server;
  const std::string wanted = get(open.asked.parameters, "resourceVersion");
  const FakeEtcd::Version least = wanted.empty() ? world_.etcd.version(clock_.now()) : number(wanted);
  const bool defect = wanted.empty() ? server.quorum_from_cache : server.ignores_not_older;
  if (least > world_.cached(server, clock_.now()) && !defect) {
    clock_.advance(seconds(3));  // It waits for its cache to catch up.
    if (least > world_.cached(server, clock_.now())) return too_large(open.asked, least);
  }
  open.from = world_.cached(server, clock_.now());
  open.opened = open.last_piece = clock_.now();
  open.bookmark_at = clock_.now() + up_to(seconds(2));
  open.ends_a_list = true;
  if (!hand_over(open.on_piece, "")) return ApiResponse{.status = 200};
  std::string text;
  for (const auto& [name, object] :
       FakeEtcd::objects(world_.etcd.era(clock_.now()), open.from, open.asked.resource.name))
    text += R"({"type":"ADDED","object":{"kind":")" + open.asked.resource.kind + R"(","apiVersion":"v1",)" +
            object.substr(1) + "}\n";
  return deliver(open, text);
}

FakeTransport::Answer FakeTransport::stream(const std::string& server, const ApiRequest& request,
                                            std::chrono::milliseconds limit, std::chrono::milliseconds idle,
                                            const OnPiece& on_piece, const std::stop_token& stop) {
  const test::TestCode own;
  sent.push_back({clock_.now(), server, request.path});
  tell(server + request.path);
  const Asked asked{pick(server), *world_.resource(request.path), parameters_of<Parameters>(request.path)};
  shorten_memory();
  const bool lists = !get(asked.parameters, "sendInitialEvents").empty();
  if (lists && !asked.server.streams_lists)
    return refusal(422, "Invalid", "sendInitialEvents: Forbidden: not supported");
  if (auto instead = begin(asked.server, limit, stop)) return *instead;
  const Clock::Time now = clock_.now();
  FakeEtcd::Version from = number(get(asked.parameters, "resourceVersion"));
  if (!lists && from < world_.watched_from(asked.server, now)) {
    if (!asked.server.errors_in_stream) return refusal(410, "Expired", "too old resource version");
    const std::string error =
        R"({"type":"ERROR","object":)" + status_json(410, "Expired", "too old resource version") + "}\n";
    hand_over(on_piece, "");
    hand_over(on_piece, error);
    return ApiResponse{.status = 200};
  }
  if (asked.server.replays_old) from = std::min(from, world_.cached(asked.server, now));
  const auto timeout = seconds(static_cast<std::int64_t>(number(get(asked.parameters, "timeoutSeconds"))));
  Open open{asked, on_piece, stop,          world_.etcd.era(now),     from,
            0,     now,      now + timeout, now + up_to(seconds(60)), now,
            idle};
  if (asked.server.has(Kind::kFlaky, now)) open.left = 1 + random_() % 3000;
  if (asked.server.has(Kind::kShort, now)) open.events = random_() % 3;
  if (lists) {
    if (auto end = begin_list(open)) return *end;
  } else if (!hand_over(on_piece, "")) {
    return ApiResponse{.status = 200};
  }
  if (open.events == 0) return ApiResponse{.status = 200};
  return run(open);
}

std::size_t FakeTransport::most_in_a_minute() const {
  std::size_t most = 0;
  for (std::size_t first = 0, last = 0; last < sent.size(); ++last) {
    while (sent[last].at - sent[first].at > minutes(1)) ++first;
    most = std::max(most, last - first + 1);
  }
  return most;
}

}  // namespace winnow::live
