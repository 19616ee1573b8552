// The log and the metrics of the watch.
//
// extender/service joins the service to a live cluster. live_observer.h logs and counts. config_switch.h has
// a cache with its reflectors, holds the rules and the cache source in force, and exchanges
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cluster/client/watch/resource.h"
#include "extender/service/log/log.h"

namespace winnow::live {

enum class BalancerError : std::uint8_t;
enum class WatchError : std::uint8_t;

}  // namespace winnow::live

namespace winnow {

class LiveMetrics;

/// Logs what concerns operators, and counts everything. A server that sends rubbish fills no log: lines about
/// a resource have a rate. Thread-safe.
class LiveObserver : public live::ReflectorObserver {
 public:
  /// @param metrics  must outlive this.
  explicit LiveObserver(LiveMetrics& metrics) : metrics_(metrics) {}

  void on_list(const live::Resource&, std::string_view server, std::size_t objects) override;
  void on_watch(const live::Resource&, std::string_view server) override;
  void on_events(const live::Resource&, std::string_view server, std::size_t events) override;
  void on_bookmark(const live::Resource&, std::string_view server) override;
  void on_error(const live::Resource&, std::string_view server, live::WatchError,
                std::string_view message) override;
  void on_slow_list(const live::Resource&, std::string_view server, std::size_t bytes) override;
  void on_rewind(const live::Resource&, std::string_view from, std::string_view to) override;
  void on_undecodable(ResourceKind kind, std::string_view message);
  /// An API server that --discover-api-servers does not take. @param what  in one line.
  void on_skipped_server(std::string_view what);
  /// There is no API server for a client of the balancer, such as "pods" or "bind-3".
  void on_no_server(live::BalancerError why, std::string_view client);

 private:
  LiveMetrics& metrics_;
  std::array<LogRate, kResourceKinds> undecodable_;  ///< By ResourceKind.
  LogRate slow_;
  LogRate skipped_;
  LogRate no_server_;
};

}  // namespace winnow
