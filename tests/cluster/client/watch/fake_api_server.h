// Simulated API servers with faults, and the transport to them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/resource.h"
#include "tests/cluster/client/watch/client_time.h"
#include "tests/cluster/client/watch/fake_etcd.h"
#include "tests/cluster/client/watch/sim_clock.h"

namespace winnow::live {

/// A fault of a server, which lasts for a while.
struct Fault {
  enum class Kind {
    kDown,        ///< Nobody listens. Open connections are reset.
    kHung,        ///< Accepts connections and answers nothing. Open ones continue afterwards.
    kHalfOpen,    ///< As kDown, but without resets: open connections stay silent for ever.
    kFrozen,      ///< The watch cache gets no more changes.
    kThrottling,  ///< 429, mostly with Retry-After.
    kFailing,     ///< 500, 503 (with and without Retry-After), 401, 403.
    kFlaky,       ///< Answers and streams break off at any byte.
    kSlow,        ///< Answers take up to 70 s.
    kShort,       ///< Watches are closed at once, or after an event or two.
    kNoBookmarks,
    kOldHistory,   ///< All but the last seconds are compacted. Continue tokens expire.
    kErrorEvents,  ///< Watches end with an ERROR event.
    kGarbage,      ///< A proxy's page, a Table, another kind, no resource version, an unknown event.
    // The later kinds.
    kBehind,             ///< The watch cache is older by `by`.
    kRestarted,          ///< As kDown. Afterwards the watch cache is new, and has no history from before.
    kCutBodies,          ///< Answers end at any byte; without a Content-Length nothing tells of it.
    kUnordered,          ///< Events come in a wrong order, again, or twice. An object's ADDED is left out.
    kCertificate,        ///< The server's certificate has run out: no new connections.
    kClientCertificate,  ///< The client's. When it is renewed, watches end at their next event.
  };
  Kind kind = Kind::kDown;
  Clock::Time from{}, to{};
  Clock::Duration by{};
};
inline constexpr int kFirstFaultKinds = 13;
inline constexpr int kLaterFaultKinds = 6;

/// A simulated API server. Its answers are a function of the time. Its watch cache follows etcd after a lag.
struct FakeApiServer {
  std::string url;
  Clock::Duration lag{};
  std::vector<Fault> faults;
  // Peculiarities that last.
  bool quorum_from_cache = false;  ///< A defect: it answers a list of the newest from its cache.
  bool ignores_not_older = false;  ///< A defect: it answers "not older than" with an older list.
  bool replays_old = false;        ///< A watch from the future begins with older events (etcd#20221).
  bool sends_old_bookmarks = false;
  bool errors_in_stream = false;  ///< Reports "too old" in an ERROR event, not as 410.
  bool streams_lists = false;     ///< It knows sendInitialEvents.
  int too_large_style = 0;        ///< "Too large" as in 0: today, 1: 1.17 to 1.18.5, 2: before that.

  bool has(Fault::Kind kind, Clock::Time at) const;
  /// The end of the fault that lasts at that time; `at` if there is none.
  Clock::Time end_of(Fault::Kind kind, Clock::Time at) const;
  /// The begin of the next fault of the kind after `at`; Time::max() if there is none.
  Clock::Time next(Fault::Kind kind, Clock::Time at) const;
  /// The time at which its cache gets a change that was written at `written`.
  Clock::Time visible(Clock::Time written) const;
};

/// A balancer in front of the servers, which is all that the client knows.
struct FakeBalancer {
  struct Turn {
    Clock::Time from;
    std::size_t server = 0;
  };
  std::string url;          ///< "": there is none.
  std::vector<Turn> turns;  ///< Where new requests go, from a time on; empty: each to any server.
};

struct FakeWorld {
  FakeEtcd etcd;
  std::vector<FakeApiServer> servers;
  std::vector<Resource> resources;
  Clock::Duration history = std::chrono::minutes(5);  ///< Older changes are compacted.
  bool is_large = false;                              ///< A whole list exceeds the client's limit.
  FakeBalancer balancer;
  ClientTime client;
  /// While one of these lasts, the client's memory runs out again and again.
  std::vector<std::pair<Clock::Time, Clock::Time>> short_of_memory;

  /// The URLs that the client knows.
  std::vector<std::string> urls() const;
  const FakeApiServer* server(std::string_view url) const;
  const Resource* resource(std::string_view path) const;
  FakeEtcd::Version cached(const FakeApiServer& server, Clock::Time at) const;
  FakeEtcd::Version compacted(const FakeApiServer& server, Clock::Time at) const;
  /// A watch can begin here at the earliest.
  FakeEtcd::Version watched_from(const FakeApiServer& server, Clock::Time at) const;
};

/// The transport of one client to the simulated servers.
class FakeTransport final : public ApiTransport {
 public:
  FakeTransport(const FakeWorld& world, SimClock& clock, std::uint64_t seed)
      : world_(world), clock_(clock), random_(seed), later_random_(seed ^ 0x5bd1e995) {}

  using Answer = std::expected<ApiResponse, TransportError>;
  Answer call(const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
              const std::stop_token& stop) override;
  Answer stream(const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
                std::chrono::milliseconds idle, const OnPiece& on_piece,
                const std::stop_token& stop) override;

  struct Sent {
    Clock::Time at;
    std::string server;
    std::string path;
  };
  std::vector<Sent> sent;
  std::map<std::string, Clock::Time> answered;  ///< When each server has last answered anything.
  Clock::Time timed_out = Clock::Time::min();   ///< When a watch has last ended by its own timeoutSeconds.
  std::function<void(std::string)> tell = [](const std::string&) {};
  /// The most requests in any minute.
  std::size_t most_in_a_minute() const;

 private:
  using Parameters = std::map<std::string, std::string, std::less<>>;
  struct Asked {
    const FakeApiServer& server;
    const Resource& resource;
    Parameters parameters;
  };
  /// The state of an open watch.
  struct Open {
    const Asked& asked;
    const OnPiece& on_piece;
    const std::stop_token& stop;
    const FakeEtcd::Era& era;
    FakeEtcd::Version from;
    std::size_t next = 0;  ///< The index of the next one of the era's changes.
    Clock::Time opened, until, bookmark_at, last_piece;
    Clock::Duration idle;
    bool dead = false;              ///< Half open: the server has gone, and the client does not know.
    std::size_t left = ~0ul;        ///< Bytes until the connection breaks.
    std::size_t events = ~0ul;      ///< Events until the server closes.
    bool ends_a_list = false;       ///< The next bookmark is the one behind a list's objects.
    std::vector<std::string> told;  ///< The last events, for a server that tells them again.
  };

  bool one_in(unsigned n) { return random_() % n == 0; }
  Clock::Duration up_to(Clock::Duration longest);
  std::optional<Answer> arrive(const FakeApiServer& server, Clock::Duration limit,
                               const std::stop_token& stop);
  std::optional<Answer> refuse(const FakeApiServer& server);
  std::optional<Answer> begin(const FakeApiServer& server, Clock::Duration limit,
                              const std::stop_token& stop);
  Answer broken(std::string message) const;
  ApiResponse list(const Asked& asked);
  ApiResponse page(const Asked& asked, FakeEtcd::Version version, const std::string& start);
  ApiResponse too_large(const Asked& asked, FakeEtcd::Version version) const;
  ApiResponse garbage(const Asked& asked);
  std::string error_event();
  std::string odd_event(const Asked& asked, FakeEtcd::Version version);
  std::string bookmark(Open& open);
  Answer run(Open& open);
  std::optional<Answer> begin_list(Open& open);
  std::optional<Answer> deliver(Open& open, std::string_view text);
  std::string gather(Open& open);

  // Of the later faults.
  bool later_one_in(unsigned n) { return later_random_() % n == 0; }
  const FakeApiServer& pick(const std::string& url);
  void shorten_memory();
  std::optional<Answer> refuse_connection(const FakeApiServer& server);
  Answer cut(const FakeApiServer& server, ApiResponse whole);
  bool is_renewed(const Open& open) const;
  void disturb(Open& open, std::vector<std::string>& events);

  const FakeWorld& world_;
  SimClock& clock_;
  std::mt19937_64 random_;
  /// The later faults draw here, so that a world without them is what it was before there were any.
  std::mt19937_64 later_random_;
};

/// A Status object as an API server writes it.
std::string status_json(int code, std::string_view reason, std::string_view message,
                        std::string_view details = "");

}  // namespace winnow::live
