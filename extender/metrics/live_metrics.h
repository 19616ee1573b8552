// What /metrics shows of a live cluster: the watch, pods on their way, binds, the configuration.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "cluster/servers/binder.h"
#include "cluster/watch/reflector.h"
#include "extender/metrics/figures.h"

namespace prometheus {
class Registry;
}

namespace winnow {

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
  void on_error(const live::Resource&, std::string_view server, live::WatchError,
                std::string_view message) override;
  void on_rewind(const live::Resource&, std::string_view from, std::string_view to) override;
  void on_undecodable(std::string_view resource);

  /// All that there are, at a scrape: the series of others are gone. Asks for the transport's figures too.
  void set_watches(const std::vector<WatchFigures>& watches);
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
