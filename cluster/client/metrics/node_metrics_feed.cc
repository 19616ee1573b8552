#include "cluster/client/metrics/node_metrics_feed.h"

#include <chrono>
#include <cmath>
#include <format>
#include <utility>

#include "cluster/api/kinds.h"
#include "cluster/client/watch/resource.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/text/json.h"

namespace winnow::live {
namespace {

constexpr double kNanos = 1e9;

std::string head_of(std::string_view name, std::uint64_t version) {
  std::string json = R"({"kind":"NodeMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":)";
  append_quoted(json, name);
  return json + std::format(R"(,"resourceVersion":"{}"}})", version);
}

void append_usage(std::string& json, const NodeUsage& usage) {
  const std::chrono::sys_seconds taken(
      std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(usage.taken)));
  json += std::format(R"(,"timestamp":"{:%FT%TZ}","window":"{}ns","usage":{{"cpu":"{}n","memory":"{}"}})",
                      taken, usage.window, std::llround(usage.cpu * kNanos), std::llround(usage.memory));
}

}  // namespace

std::string node_metrics_json(std::string_view name, const MeasuredNode& node) {
  std::string json = head_of(name, node.version);
  if (node.usage) append_usage(json, *node.usage);
  if (!node.metrics.empty()) {
    json += R"(,"metrics":{)";
    for (const auto& [metric, value] : node.metrics) {
      if (!json.ends_with('{')) json += ',';
      append_quoted(json, metric);
      json += std::format(":{}", value);
    }
    json += '}';
  }
  return json + '}';
}

NodeMetricsFeed::NodeMetricsFeed(FeedWriter& writer, ClusterCache& cache, const OnUndecodable& on_undecodable)
    : writer_(writer), cache_(cache), sink_(make_cache_sink(kind_of<NodeMetrics>, cache, on_undecodable)) {
  writer_.add(*this);
}

NodeMetricsFeed::~NodeMetricsFeed() { writer_.remove(*this); }

void NodeMetricsFeed::write(const MeasuredNodes& nodes) {
  try {
    if (epoch_ == cache_.epoch())
      write_changes(nodes);
    else
      list(nodes);
  } catch (const SinkLost&) {
    epoch_.reset();
  } catch (...) {
    epoch_.reset();
    throw;
  }
}

void NodeMetricsFeed::list(const MeasuredNodes& nodes) {
  written_.clear();
  epoch_.reset();
  const std::uint64_t epoch = cache_.epoch();
  sink_->begin_list();
  for (const auto& [name, node] : nodes) {
    sink_->list(node_metrics_json(name, node));
    written_.emplace(name, node.version);
  }
  sink_->end_list("1");
  epoch_ = epoch;
}

void NodeMetricsFeed::write_changes(const MeasuredNodes& nodes) {
  for (auto written = written_.begin(); written != written_.end();) {
    if (nodes.contains(written->first)) {
      ++written;
      continue;
    }
    sink_->remove(head_of(written->first, written->second) + '}');
    written = written_.erase(written);
  }
  for (const auto& [name, node] : nodes) {
    std::uint64_t& version = written_[name];
    if (std::exchange(version, node.version) != node.version) sink_->set(node_metrics_json(name, node));
  }
  sink_->flush();
}

}  // namespace winnow::live
