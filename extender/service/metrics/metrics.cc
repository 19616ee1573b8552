#include "extender/service/metrics/metrics.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/rule/expression_counts.h"
#include "extender/service/metrics/figure_series.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/request_series.h"

namespace winnow {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

void add_build_info(prometheus::Registry& registry, std::string_view version, std::string_view revision) {
  prometheus::BuildGauge()
      .Name("winnow_build_info")
      .Help("Always 1; what was built, by its labels.")
      .Register(registry)
      .Add({{"version", std::string(version)}, {"revision", std::string(revision)}, {"compiler", kCompiler}})
      .Set(1);
}

/// Sorts the page, so that two pages can be compared: the registry keeps series in hash tables.
void sort_for_reading(std::vector<prometheus::MetricFamily>& families) {
  const auto values = [](const prometheus::ClientMetric& metric) {
    std::vector<std::string_view> texts;
    for (const auto& label : metric.label) texts.push_back(label.value);
    return texts;
  };
  std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
  for (prometheus::MetricFamily& family : families) std::ranges::sort(family.metric, {}, values);
}

}  // namespace

class Metrics::Impl {
 public:
  Impl(std::string_view version, std::string_view revision)
      : requests_(registry_),
        state_(registry_),
        devices_(registry_),
        expressions_(registry_),
        http_(registry_),
        process_(registry_) {
    add_build_info(registry_, version, revision);
  }

  void observe(const RequestRecord& record) { requests_.observe(record); }

  const VerbSeries* verb(std::string_view label, bool computes) { return requests_.verb(label, computes); }
  std::shared_ptr<const RuleSeries> rules(std::span<const std::string> names) {
    return requests_.rules(names);
  }
  LiveMetrics& live() { return live_; }

  void set_state(const StateFigures& figures) {
    const MutexLock lock(mutex_);
    state_.set(figures);
  }

  void set_devices(std::span<const DeviceFigures> figures) {
    const MutexLock lock(mutex_);
    devices_.set(figures);
  }

  void set_http(const http::Counters& counters) {
    const MutexLock lock(mutex_);
    http_.set(counters);
  }

  std::string render() {
    {
      const MutexLock lock(mutex_);
      process_.set(read_process());
      expressions_.set(counted_expressions().all());
    }
    auto families = registry_.Collect();
    sort_for_reading(families);
    return prometheus::TextSerializer().Serialize(families);
  }

 private:
  prometheus::Registry registry_;
  RequestSeries requests_;
  LiveMetrics live_{registry_};
  Mutex mutex_;
  StateSeries state_ WINNOW_GUARDED_BY(mutex_);
  DeviceSeries devices_ WINNOW_GUARDED_BY(mutex_);
  ExpressionSeries expressions_ WINNOW_GUARDED_BY(mutex_);
  HttpSeries http_ WINNOW_GUARDED_BY(mutex_);
  ProcessSeries process_ WINNOW_GUARDED_BY(mutex_);
};

Metrics::Metrics(std::string_view version, std::string_view revision)
    : impl_(std::make_unique<Impl>(version, revision)) {}
Metrics::~Metrics() = default;

void Metrics::observe(const RequestRecord& record) { impl_->observe(record); }
const VerbSeries* Metrics::verb(std::string_view label, bool computes) {
  return impl_->verb(label, computes);
}
std::shared_ptr<const RuleSeries> Metrics::rules(std::span<const std::string> names) {
  return impl_->rules(names);
}
LiveMetrics& Metrics::live() { return impl_->live(); }
void Metrics::set_state(const StateFigures& figures) { impl_->set_state(figures); }
void Metrics::set_devices(std::span<const DeviceFigures> figures) { impl_->set_devices(figures); }
void Metrics::set_http(const http::Counters& counters) { impl_->set_http(counters); }
std::string Metrics::render() const { return impl_->render(); }

}  // namespace winnow
