// What /metrics shows of a live cluster: the watch, pods on their way, binds, the configuration.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/live/binder.h"
#include "cluster/live/reflector.h"
#include "cluster/rule/needs.h"
#include "cluster/state/assumed_pods.h"

namespace prometheus {
class Registry;
}

namespace winnow {

/// The pods on their way, at the time of a scrape. What is an array or named `…_total` only grows, until
/// another picture begins anew: then all of it together. The counters go on.
struct AssumedFigures {
  std::size_t pods = 0;
  double oldest_seconds = 0;
  std::array<std::uint64_t, kAssumedOutcomes> outcomes{};
  std::uint64_t overdue_total = 0;
};

/// The pods that were refused and not asked about since, at the time of a scrape.
struct RefusalFigures {
  std::size_t pods = 0;
  std::size_t would_fit = 0;       ///< By now.
  std::uint64_t told_total = 0;    ///< Of how many people were told; only grows.
  std::uint64_t doubts_total = 0;  ///< Refusals that said that the watch may be late; only grows.
  double lateness_seconds = 0;     ///< How late the watch usually is.
};

/// The way to the API servers, at the time of a scrape. All but the last only grow.
struct TransportFigures {
  std::uint64_t connections = 0, connect_failures = 0, resent_requests = 0;
  std::uint64_t token_reloads = 0, authority_reloads = 0, client_certificate_reloads = 0;
  std::uint64_t token_failures = 0, certificate_failures = 0;  ///< To read them again.
  std::uint64_t unauthorized = 0, forbidden = 0;               ///< Requests denied, by 401 and by 403.
  bool insecure_skip_tls_verify = false;
};

/// Any thread may call anything. Series of a resource and a server appear when they have something to say;
/// the others are there from the start.
class LiveMetrics : public live::ReflectorObserver {
 public:
  explicit LiveMetrics(prometheus::Registry& registry);
  ~LiveMetrics() override;

  void on_list(const live::Resource&, std::string_view server, std::size_t objects) override;
  void on_watch(const live::Resource&, std::string_view server) override;
  void on_events(const live::Resource&, std::string_view server, std::size_t events) override;
  void on_bookmark(const live::Resource&, std::string_view server) override;
  void on_trouble(const live::Resource&, std::string_view server, live::Trouble,
                  std::string_view message) override;
  void on_rewind(const live::Resource&, std::string_view from, std::string_view to) override;
  void on_undecodable(std::string_view resource);

  struct Watch {
    std::string resource;
    bool synced = false;
    double age_seconds = 0;  ///< Since a server last had a word; see ReflectorStatus::last_word.
    std::uint64_t resource_version = 0;
  };
  /// All that there are, at a scrape: the series of others are gone. Asks for the transport's figures too.
  void set_watches(const std::vector<Watch>& watches);
  /// Who is asked for them from now on; null: nobody.
  void follow_transport(std::function<TransportFigures()> figures);
  void set_assumed(const AssumedFigures& figures);
  void set_refusals(const RefusalFigures& figures);
  void observe_bind(live::BindOutcome outcome, double seconds);
  void on_reload(bool good);
  /// A filter call that shows kube-scheduler's sampling.
  void on_sampled_call();
  /// Whether kube-scheduler's configuration and the flags are seen not to fit each other in this.
  void set_setup_problem(std::string_view problem, bool there);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace winnow
