// The later kinds of faults, and what a client's own machine does to it.
#include <algorithm>
#include <ranges>
#include <utility>

#include "tests/cluster/client/watch/fake_api_server.h"
#include "tests/failing_memory.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Error = TransportError::Kind;
using Kind = Fault::Kind;

/// A server that has just begun is busy with its cache for so long.
constexpr seconds kWarmUp{5};

/// When the server has begun, for the last time; Time::min() if it has always been there.
Clock::Time begun(const FakeApiServer& server, Clock::Time at) {
  Clock::Time last = Clock::Time::min();
  for (const Fault& fault : server.faults)
    if (fault.kind == Kind::kRestarted && fault.to <= at) last = std::max(last, fault.to);
  return last;
}

}  // namespace

// Each step lets nothing overtake what was written before.
Clock::Time FakeApiServer::visible(Clock::Time written) const {
  Clock::Time seen = written + lag;
  for (const Fault& fault : faults)
    if (fault.kind == Kind::kBehind && fault.from <= seen && seen < fault.to)
      seen = std::min(fault.to, seen + fault.by);
  seen = end_of(Kind::kFrozen, seen);
  // A server that begins reads all that there is.
  for (const Fault& fault : faults)
    if (fault.kind == Kind::kRestarted && written <= fault.to) seen = std::min(seen, fault.to);
  return seen;
}

std::vector<std::string> FakeWorld::urls() const {
  if (!balancer.url.empty()) return {balancer.url};
  std::vector<std::string> urls;
  for (const FakeApiServer& one : servers) urls.push_back(one.url);
  return urls;
}

FakeEtcd::Version FakeWorld::watched_from(const FakeApiServer& server, Clock::Time at) const {
  const Clock::Time begin = begun(server, at);
  const FakeEtcd::Version oldest = compacted(server, at);
  return begin <= etcd.era(at).from ? oldest : std::max(oldest, etcd.version(begin));
}

const FakeApiServer& FakeTransport::pick(const std::string& url) {
  const FakeBalancer& balancer = world_.balancer;
  if (url != balancer.url) return *world_.server(url);
  std::size_t server = balancer.turns.empty() ? later_random_() % world_.servers.size() : 0;
  for (const FakeBalancer::Turn& turn : balancer.turns)
    if (turn.from <= clock_.now()) server = turn.server;
  return world_.servers[server];
}

/// Every second request is one during which the memory runs out, sooner or later, once or for a while.
void FakeTransport::shorten_memory() {
  if (world_.short_of_memory.empty()) return;
  test::mend_memory();
  const bool is_short = std::ranges::any_of(world_.short_of_memory, [&](const auto& period) {
    return period.first <= clock_.now() && clock_.now() < period.second;
  });
  if (!is_short || later_one_in(2)) return;
  const std::uint64_t passes = later_random_() % (1ull << later_random_() % 11);
  test::fail_memory(passes, later_one_in(4) ? 1 + later_random_() % 8 : 1);
}

std::optional<FakeTransport::Answer> FakeTransport::refuse_connection(const FakeApiServer& server) {
  const Clock::Time now = clock_.now();
  const auto refused = [&](const char* why) -> Answer {
    clock_.advance(milliseconds(3));
    return std::unexpected(TransportError{Error::kUnreachable, why, /*handshake_failed=*/true});
  };
  if (server.has(Kind::kRestarted, now)) {
    clock_.advance(milliseconds(1));
    return std::unexpected(TransportError{Error::kUnreachable, "connection refused"});
  }
  // Some requests still go over a connection that was made before.
  if (server.has(Kind::kCertificate, now) && !later_one_in(4))
    return refused("the server's certificate has expired");
  if (server.has(Kind::kClientCertificate, now) && !later_one_in(4))
    return refused("the server refused the TLS handshake (is a client certificate missing?)");
  const Clock::Time begin = begun(server, now);
  if (begin != Clock::Time::min() && now - begin < kWarmUp) {
    clock_.advance(milliseconds(1));
    return ApiResponse{.status = 429,
                       .body = status_json(429, "TooManyRequests", "storage is (re)initializing"),
                       .retry_after = seconds(1)};
  }
  return std::nullopt;
}

/// Cuts the body of an answer. A Content-Length or a chunk tells the client; the end of the connection alone
/// does not.
FakeTransport::Answer FakeTransport::cut(const FakeApiServer& server, ApiResponse whole) {
  if (!server.has(Kind::kCutBodies, clock_.now()) || whole.body.empty() || later_one_in(2)) return whole;
  const std::size_t at = later_random_() % whole.body.size();
  tell("cut after " + std::to_string(at) + " bytes");
  if (!later_one_in(3)) return broken("the connection ended before the answer");
  whole.body.resize(at);
  return whole;
}

bool FakeTransport::is_renewed(const Open& open) const {
  return std::ranges::any_of(open.asked.server.faults, [&](const Fault& fault) {
    return fault.kind == Kind::kClientCertificate && open.opened < fault.to && fault.to <= clock_.now();
  });
}

/// Puts events into a wrong order. What is swapped is not cut between the two, and what is left out is
/// followed by another event of the object: no client could know of a change that it is never told of.
void FakeTransport::disturb(Open& open, std::vector<std::string>& events) {
  const auto comes_again = [&](std::string_view event) {
    const std::string name = name_of(event);
    return std::ranges::any_of(open.era.changes | std::views::drop(static_cast<std::ptrdiff_t>(open.next)),
                               [&](const FakeEtcd::Change& change) {
                                 return change.resource == open.asked.resource.name && change.name == name;
                               });
  };
  std::vector<std::string> disturbed;
  bool is_swapped = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint64_t how = later_random_() % 12;
    if (how == 0 && i + 1 < events.size()) {
      std::swap(events[i], events[i + 1]);
      is_swapped = true;
    }
    if (how == 1 && events[i].starts_with(R"({"type":"ADDED")") && comes_again(events[i])) continue;
    disturbed.push_back(events[i]);
    if (how == 2) disturbed.push_back(events[i]);
    if (how == 3 && !open.told.empty()) disturbed.push_back(open.told[later_random_() % open.told.size()]);
    open.told.push_back(events[i]);
  }
  events = std::move(disturbed);
  std::size_t bytes = 0;
  for (const std::string& event : events) bytes += event.size();
  if (is_swapped) open.left = std::max(open.left, bytes + 1);
}

}  // namespace winnow::live
