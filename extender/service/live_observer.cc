#include "extender/service/live_observer.h"

#include <chrono>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/load_balancer_rr.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/live_cluster.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"

namespace winnow {

void LiveObserver::on_list(const live::Resource& resource, std::string_view server, std::size_t objects) {
  metrics_.on_list(resource, server, objects);
  if (log_enabled(1))
    log_info("list", {{"resource", resource.name}, {"server", server}, {"objects", objects}});
}

void LiveObserver::on_watch(const live::Resource& resource, std::string_view server) {
  metrics_.on_watch(resource, server);
  if (log_enabled(2)) log_info("watch", {{"resource", resource.name}, {"server", server}});
}

void LiveObserver::on_events(const live::Resource& resource, std::string_view server, std::size_t events) {
  metrics_.on_events(resource, server, events);
}

void LiveObserver::on_bookmark(const live::Resource& resource, std::string_view server) {
  metrics_.on_bookmark(resource, server);
}

void LiveObserver::on_error(const live::Resource& resource, std::string_view server,
                            live::WatchError watch_error, std::string_view message) {
  metrics_.on_error(resource, server, watch_error, message);
  log_warn("watch failed", {{"resource", resource.name},
                            {"server", server},
                            {"reason", to_string(watch_error)},
                            {"message", message}});
}

void LiveObserver::on_slow_list(const live::Resource& resource, std::string_view server, std::size_t bytes) {
  const auto left_out = slow_.next(std::chrono::steady_clock::now());
  if (!left_out) return;
  log_warn("a list is slow: its answer is not whole yet", {{"resource", resource.name},
                                                           {"server", server},
                                                           {"bytes", bytes},
                                                           {"seconds", live::ApiTransport::kSlow.count()},
                                                           {"left_out", *left_out}});
}

void LiveObserver::on_rewind(const live::Resource& resource, std::string_view from, std::string_view to) {
  metrics_.on_rewind(resource, from, to);
  log_warn("every API server has older data than the cache: taken, as after a restore of etcd",
           {{"resource", resource.name}, {"from", from}, {"to", to}});
}

void LiveObserver::on_undecodable(ResourceKind kind, std::string_view message) {
  const live::Resource resource = live::resource_of(kind);
  metrics_.on_undecodable(resource.name);
  const auto left_out = undecodable_[static_cast<std::size_t>(kind)].next(std::chrono::steady_clock::now());
  if (!left_out) return;
  log_error("object not understood: its last known version stays",
            {{"resource", resource.name}, {"error", message}, {"left_out", *left_out}});
}

void LiveObserver::on_skipped_server(std::string_view what) {
  if (const auto left_out = skipped_.next(std::chrono::steady_clock::now()))
    log_warn("EndpointSlice default/kubernetes: skipped", {{"skipped", what}, {"left_out", *left_out}});
}

void LiveObserver::on_no_server(live::BalancerError why, std::string_view client) {
  metrics_.on_no_server(why);
  if (const auto left_out = no_server_.next(std::chrono::steady_clock::now()))
    log_error("no API server to ask",
              {{"reason", to_string(why)}, {"client", client}, {"left_out", *left_out}});
}

}  // namespace winnow
