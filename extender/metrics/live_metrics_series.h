// Internal to extender/metrics: the series of live_metrics.cc that are set from figures kept elsewhere.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/metrics/live_metrics.h"

namespace winnow {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;

inline CounterFamily& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
inline GaugeFamily& gauges(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

/// Counters of totals that are counted elsewhere, and may begin anew there, all together: the counters go on.
/// One thread at a time.
class Totals {
 public:
  struct Total {
    prometheus::Counter* counter;
    std::uint64_t now;
  };
  void set(std::span<const Total> totals) {
    if (std::ranges::any_of(totals, [&](const Total& total) { return total.now < last_[total.counter]; }))
      last_.clear();
    for (const auto& [counter, now] : totals)
      counter->Increment(static_cast<double>(now - std::exchange(last_[counter], now)));
  }
  void set(std::initializer_list<Total> totals) { set(std::span(totals.begin(), totals.size())); }

 private:
  std::map<prometheus::Counter*, std::uint64_t> last_;
};

/// What there is for each resource while it is watched. One thread at a time.
class WatchSeries {
 public:
  explicit WatchSeries(prometheus::Registry& registry)
      : age_(gauges(registry, "winnow_watch_age_seconds",
                    "Time since a server last had a word; where nothing happens, one comes each minute.")),
        synced_(gauges(registry, "winnow_watch_synced", "1: a whole list has been taken in.")),
        version_(gauges(registry, "winnow_watch_resource_version", "The picture's resource version.")),
        server_(gauges(registry, "winnow_watch_server", "1: the server that the resource is watched at.")) {}

  /// These are all that the picture has: the series of what it had before are gone.
  void set(const std::vector<LiveMetrics::Watch>& watches) {
    for (auto& [name, series] : of_)
      if (series.age != nullptr && !std::ranges::contains(watches, name, &LiveMetrics::Watch::resource))
        remove(series);
    for (const LiveMetrics::Watch& watch : watches) set(watch);
  }

  /// A watch of the resource is open there, and none elsewhere.
  void move(const std::string& resource, std::string_view server) {
    Series& series = of_[resource];
    series.at = server;
    if (!series.gone) show_server(resource, series);
  }

 private:
  struct Series {
    prometheus::Gauge *age = nullptr, *synced = nullptr, *version = nullptr, *server = nullptr;
    std::string at;
    bool gone = false;  ///< No longer of the picture: a watch that is about to end may yet move.
  };

  void set(const LiveMetrics::Watch& watch) {
    Series& series = of_[watch.resource];
    if (series.age == nullptr) {
      const prometheus::Labels resource = {{"resource", watch.resource}};
      series.age = &age_.Add(resource);
      series.synced = &synced_.Add(resource);
      series.version = &version_.Add(resource);
    }
    if (std::exchange(series.gone, false)) show_server(watch.resource, series);
    series.age->Set(watch.age_seconds);
    series.synced->Set(watch.synced ? 1 : 0);
    series.version->Set(static_cast<double>(watch.resource_version));
  }

  void show_server(const std::string& resource, Series& series) {
    if (series.server != nullptr) server_.Remove(std::exchange(series.server, nullptr));
    if (series.at.empty()) return;
    series.server = &server_.Add({{"resource", resource}, {"server", series.at}});
    series.server->Set(1);
  }

  void remove(Series& series) {
    age_.Remove(series.age);
    synced_.Remove(series.synced);
    version_.Remove(series.version);
    if (series.server != nullptr) server_.Remove(series.server);
    series = {};
    series.gone = true;
  }

  GaugeFamily &age_, &synced_, &version_, &server_;
  std::map<std::string, Series> of_;
};

/// The connections to the API servers and the credentials. One thread at a time.
class TransportSeries {
 public:
  explicit TransportSeries(prometheus::Registry& registry)
      : connections_(counters(registry, "winnow_apiserver_connections_total",
                              "Connections to API servers made, with their handshakes.")
                         .Add({})),
        failures_(counters(registry, "winnow_apiserver_connect_failures_total",
                           "Connections to API servers that could not be made.")
                      .Add({})),
        resent_(counters(registry, "winnow_apiserver_resent_requests_total",
                         "Requests sent again because a kept connection was gone.")
                    .Add({})),
        reloads_(counters(registry, "winnow_credential_reloads_total",
                          "Credentials that had changed when their files were read again.")),
        reload_failures_(counters(registry, "winnow_credential_reload_failures_total",
                                  "Readings of credentials that failed: the old ones stay.")),
        denied_(counters(registry, "winnow_apiserver_denied_total",
                         "Requests that API servers denied: 401, the credentials; 403, a right is missing.")),
        insecure_(gauges(registry, "winnow_insecure_skip_tls_verify",
                         "1: the API servers' certificates are not verified.")
                      .Add({})) {}

  void set(const TransportFigures& figures) {
    totals_.set({{&connections_, figures.connections},
                 {&failures_, figures.connect_failures},
                 {&resent_, figures.resent_requests},
                 {&token_, figures.token_reloads},
                 {&authority_, figures.authority_reloads},
                 {&certificate_, figures.client_certificate_reloads},
                 {&token_failures_, figures.token_failures},
                 {&certificate_failures_, figures.certificate_failures},
                 {&unauthorized_, figures.unauthorized},
                 {&forbidden_, figures.forbidden}});
    insecure_.Set(figures.insecure_skip_tls_verify ? 1 : 0);
  }

 private:
  prometheus::Counter &connections_, &failures_, &resent_;
  CounterFamily &reloads_, &reload_failures_, &denied_;
  prometheus::Counter& token_ = reloads_.Add({{"what", "token"}});
  prometheus::Counter& authority_ = reloads_.Add({{"what", "certificate_authority"}});
  prometheus::Counter& certificate_ = reloads_.Add({{"what", "client_certificate"}});
  prometheus::Counter& token_failures_ = reload_failures_.Add({{"what", "token"}});
  prometheus::Counter& certificate_failures_ = reload_failures_.Add({{"what", "certificates"}});
  prometheus::Counter& unauthorized_ = denied_.Add({{"code", "401"}});
  prometheus::Counter& forbidden_ = denied_.Add({{"code", "403"}});
  prometheus::Gauge& insecure_;
  Totals totals_;
};

}  // namespace winnow
