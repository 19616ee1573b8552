// API servers of a made-up cluster, and the way to them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/live/resource.h"
#include "cluster/live/transport.h"
#include "tests/cluster/live/fake_etcd.h"
#include "tests/cluster/live/sim_clock.h"

namespace winnow::live {

/// What is wrong with a server for a while.
struct Fault {
  enum class Kind {
    kDown,        ///< Nobody listens; what was open is reset.
    kHung,        ///< Takes connections and says nothing; what was open goes on when it is over.
    kHalfOpen,    ///< As kDown, but nobody is told: what was open stays silent for ever.
    kFrozen,      ///< Its watch cache learns nothing more.
    kThrottling,  ///< 429, mostly with Retry-After.
    kFailing,     ///< 500, 503 (with and without Retry-After), 401, 403.
    kFlaky,       ///< Answers and streams break off at any byte.
    kSlow,        ///< Answers take up to 70 s.
    kShort,       ///< Watches are closed at once, or after an event or two.
    kNoBookmarks,
    kOldHistory,   ///< Has compacted all but the last seconds; tokens of later pages expire.
    kErrorEvents,  ///< Watches end with an ERROR event.
    kGarbage,      ///< A proxy's page, a Table, another kind, no resource version, an unknown event.
  };
  Kind kind = Kind::kDown;
  Clock::Time from{}, to{};
};
inline constexpr int kFaultKinds = 13;

/// What one server says is a function of the time. Its cache follows etcd after a lag.
struct FakeApiServer {
  std::string url;
  Clock::Duration lag{};
  std::vector<Fault> faults;
  // Its ways.
  bool quorum_from_cache = false;  ///< Answers a list of the newest from its cache (a broken one).
  bool ignores_not_older = false;  ///< Answers "not older than" with what it has (a broken one).
  bool replays_old = false;        ///< A watch from the future begins with what is older (etcd#20221).
  bool sends_old_bookmarks = false;
  bool errors_in_stream = false;  ///< Says "too old" in an ERROR event, not as 410.
  int too_large_style = 0;        ///< As of: 0 today, 1 1.17 to 1.18.5, 2 before.

  bool has(Fault::Kind kind, Clock::Time at) const;
  /// When the fault that is on ends; `at` if there is none.
  Clock::Time end_of(Fault::Kind kind, Clock::Time at) const;
  /// When one of the kind begins after `at`; never: Time::max().
  Clock::Time next(Fault::Kind kind, Clock::Time at) const;
  /// When its cache learns what was written at a time.
  Clock::Time visible(Clock::Time written) const;
};

struct FakeWorld {
  FakeEtcd etcd;
  std::vector<FakeApiServer> servers;
  std::vector<Resource> resources;
  Clock::Duration history = std::chrono::minutes(5);  ///< Older than this is compacted.
  bool is_large = false;                              ///< A whole list is more than a client takes in.

  const FakeApiServer* server(std::string_view url) const;
  const Resource* resource(std::string_view path) const;
  FakeEtcd::Version cached(const FakeApiServer& server, Clock::Time at) const;
  FakeEtcd::Version compacted(const FakeApiServer& server, Clock::Time at) const;
};

/// One client's way to the world's servers.
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
