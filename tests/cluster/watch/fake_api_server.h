// Simulated API servers with faults, and the transport to them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/transport/transport.h"
#include "cluster/watch/resource.h"
#include "tests/cluster/watch/fake_etcd.h"
#include "tests/cluster/watch/sim_clock.h"

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
  };
  Kind kind = Kind::kDown;
  Clock::Time from{}, to{};
};
inline constexpr int kFaultKinds = 13;

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
  int too_large_style = 0;        ///< "Too large" as in 0: today, 1: 1.17 to 1.18.5, 2: before that.

  bool has(Fault::Kind kind, Clock::Time at) const;
  /// The end of the fault that lasts at that time; `at` if there is none.
  Clock::Time end_of(Fault::Kind kind, Clock::Time at) const;
  /// The begin of the next fault of the kind after `at`; Time::max() if there is none.
  Clock::Time next(Fault::Kind kind, Clock::Time at) const;
  /// The time at which its cache gets a change that was written at `written`.
  Clock::Time visible(Clock::Time written) const;
};

struct FakeWorld {
  FakeEtcd etcd;
  std::vector<FakeApiServer> servers;
  std::vector<Resource> resources;
  Clock::Duration history = std::chrono::minutes(5);  ///< Older changes are compacted.
  bool is_large = false;                              ///< A whole list exceeds the client's limit.

  const FakeApiServer* server(std::string_view url) const;
  const Resource* resource(std::string_view path) const;
  FakeEtcd::Version cached(const FakeApiServer& server, Clock::Time at) const;
  FakeEtcd::Version compacted(const FakeApiServer& server, Clock::Time at) const;
};

/// The transport of one client to the simulated servers.
class FakeTransport final : public ApiTransport {
 public:
  FakeTransport(const FakeWorld& world, SimClock& clock, std::uint64_t seed)
      : world_(world), clock_(clock), random_(seed) {}

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
  struct Open;

  bool one_in(unsigned n) { return random_() % n == 0; }
  Clock::Duration up_to(Clock::Duration longest);
  std::optional<Answer> arrive(const FakeApiServer& server, Clock::Duration limit,
                               const std::stop_token& stop);
  std::optional<Answer> refuse(const FakeApiServer& server);
  Answer broken(std::string message) const;
  ApiResponse list(const Asked& asked);
  ApiResponse page(const Asked& asked, FakeEtcd::Version version, const std::string& start);
  ApiResponse too_large(const Asked& asked, FakeEtcd::Version version) const;
  ApiResponse garbage(const Asked& asked);
  std::string error_event();
  std::string odd_event(const Asked& asked, FakeEtcd::Version version);
  std::string bookmark(const Open& open);
  Answer run(Open& open);
  std::optional<Answer> deliver(Open& open, std::string_view text);
  std::string gather(Open& open);

  const FakeWorld& world_;
  SimClock& clock_;
  std::mt19937_64 random_;
};

/// A Status object as an API server writes it.
std::string status_json(int code, std::string_view reason, std::string_view message,
                        std::string_view details = "");

}  // namespace winnow::live
