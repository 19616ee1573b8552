#include "cluster/client/watch/live_cluster.h"

#include <algorithm>
#include <optional>
#include <random>

#include "cluster/client/metrics/node_metrics_source.h"
#include "cluster/client/watch/reflector.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"

namespace winnow::live {

LiveCluster::LiveCluster(ClusterCache& cache, WatchedKinds needs, const Shared& shared)
    : needs_(needs),
      cache_(cache),
      clock_(shared.clock),
      on_undecodable_(shared.on_undecodable),
      node_metrics_(cache.read()->options().node_load ? shared.node_metrics : nullptr) {
  std::random_device random;
  for (const ResourceKind kind : kAllKinds) {
    if (!needs.has(kind)) continue;
    auto sink = make_cache_sink(kind, cache, shared.on_undecodable, shared.pod_handler);
    auto reflector = std::make_unique<Reflector>(resource_of(kind), *sink, shared.servers, shared.transport,
                                                 shared.clock, shared.observer, random());
    parts_.push_back({std::move(sink), std::move(reflector)});
  }
  cache.on_loss([this] {
    for (const Part& part : parts_) part.reflector->list_again();
    if (node_metrics_) node_metrics_->wake();
  });
}

LiveCluster::~LiveCluster() {
  cache_.on_loss(nullptr);
  for (std::jthread& thread : threads_) thread.request_stop();
}

void LiveCluster::start() {
  if (node_metrics_) feed_ = std::make_unique<NodeMetricsFeed>(*node_metrics_, cache_, on_undecodable_);
  for (const Part& part : parts_)
    threads_.emplace_back(
        [&reflector = *part.reflector](const std::stop_token& stop) { reflector.run(stop); });
}

std::vector<std::string> LiveCluster::not_synced() const {
  std::vector<std::string> names;
  for (const Part& part : parts_)
    if (const ReflectorStatus status = part.reflector->status();
        !status.synced && !is_done_without(part.reflector->resource(), status))
      names.push_back(part.reflector->resource().name);
  return names;
}

bool LiveCluster::is_done_without(const Resource& resource, const ReflectorStatus& status) const {
  if (status.unread.empty()) return false;
  if (resource.presence == kOptional) return true;
  return std::ranges::all_of(parts_, [&](const Part& part) {
    if (part.reflector->resource().presence != kRequired) return true;
    const auto first_listed = part.reflector->status().first_listed;
    return first_listed && *first_listed <= status.unread_at;
  });
}

LiveCluster::Silence LiveCluster::longest_silence() const {
  Silence longest;
  const Clock::Time now = clock_.now();
  for (const Part& part : parts_) {
    const ReflectorStatus status = part.reflector->status();
    if (!status.unread.empty()) continue;
    const Clock::Duration lasting = status.synced ? status.silence(now) : Clock::Duration::max();
    if (lasting > longest.lasting) longest = {part.reflector->resource().name, lasting};
  }
  return longest;
}

std::string LiveCluster::denied() const {
  for (const Part& part : parts_)
    if (std::string denied = part.reflector->status().denied; !denied.empty()) return denied;
  return {};
}

std::string LiveCluster::missing_rights() const {
  std::string line;
  for (const Part& part : parts_)
    if (const std::string right = part.reflector->status().missing_right; !right.empty())
      line += (line.empty() ? "" : "; ") + part.reflector->resource().name + " are not read: " + right;
  return line;
}

std::vector<std::pair<Resource, ReflectorStatus>> LiveCluster::statuses() const {
  std::vector<std::pair<Resource, ReflectorStatus>> all;
  for (const Part& part : parts_) all.emplace_back(part.reflector->resource(), part.reflector->status());
  return all;
}

namespace {

constexpr const char* kNotEnded = "status.phase!=Succeeded,status.phase!=Failed";

}  // namespace

Resource resource_of(ResourceKind kind) {
  const KindInfo& info = info_of(kind);
  const bool core = group_of(info.api_version).empty();
  const std::string folder = (core ? "/api/" : "/apis/") + std::string(info.api_version) + '/';
  return {std::string(info.resource),
          folder + std::string(info.resource),
          std::string(info.kind),
          kind == kind_of<Pod> ? kNotEnded : "",
          info.presence,
          true};
}

}  // namespace winnow::live
