// Counters of single events are prometheus-cpp's, which are thread-safe. Series that are set from figures,
// and those of watches, are made and removed as resources come and go; a mutex guards them.
#include "extender/service/metrics/live_metrics.h"

#include <prometheus/histogram.h>

#include "cluster/client/servers/access_reviewer.h"
#include "cluster/client/servers/binder.h"
#include "cluster/mutex.h"
#include "extender/explain/decision_log.h"
#include "extender/service/metrics/live_metrics_series.h"

namespace winnow {
namespace {

const prometheus::Histogram::BucketBoundaries kBindSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                              0.1,   0.25,   0.5,   1,    2.5,   5};

}  // namespace

class LiveMetrics::Impl {
 public:
  explicit Impl(prometheus::Registry& registry)
      : lists(counters(registry, "winnow_watch_lists_total", "Whole lists taken in.")),
        opened(counters(registry, "winnow_watch_connects_total", "Watches opened.")),
        events(counters(registry, "winnow_watch_events_total", "Events taken in.")),
        bookmarks(counters(registry, "winnow_watch_bookmarks_total", "Bookmarks received.")),
        errors(counters(registry, "winnow_watch_errors_total", "Lists and watches that failed, by reason.")),
        older(counters(registry, "winnow_watch_older_refused_total",
                       "Lists and watches refused because they were older than the picture.")),
        rewinds(counters(registry, "winnow_watch_rewinds_total",
                         "Older data taken because every server had it, as after a restore of etcd.")),
        undecodable(counters(registry, "winnow_watch_undecodable_total",
                             "Objects that could not be read and stayed as they were.")),
        overdue(counters(registry, "winnow_assumed_overdue_total",
                         "Pods assumed for long that no watch has shown.")
                    .Add({})),
        sampled(counters(registry, "winnow_sampled_calls_total",
                         "Filter calls that show kube-scheduler's sampling of nodes.")
                    .Add({})),
        log_lines_dropped(counters(registry, "winnow_log_lines_dropped_total",
                                   "Lines of the log that were dropped, because nobody read them in time.")
                              .Add({})),
        setup_problems(
            gauges(registry, "winnow_setup_problems",
                   "1 where kube-scheduler's configuration contradicts Winnow's flags, by problem.")),
        certificates(registry),
        watches(registry),
        assumed(registry, kAssumedGauges),
        places(registry),
        refused(registry, kRefusalGauges),
        refusal_totals(registry, kRefusalTotals),
        decisions(registry),
        reuse(registry),
        recording(registry),
        node_metrics(registry),
        nominations(registry),
        refused_by_sample(registry),
        shadow(registry, kShadowGauges),
        shadow_totals(registry, kShadowTotals),
        transport(registry, kTransportGauges),
        transport_totals(registry, kTransportTotals) {
    auto& ended = counters(registry, "winnow_assumed_ended_total", "Pods no longer assumed, by outcome.");
    for (std::size_t i = 0; i < kAssumedOutcomes; ++i)
      outcomes[i] = &ended.Add({{"outcome", std::string(to_string(static_cast<AssumedOutcome>(i)))}});
    auto& results = counters(registry, "winnow_binds_total", "Binds answered, by result.");
    for (std::size_t i = 0; i < live::kBindOutcomes; ++i)
      binds[i] = &results.Add({{"result", std::string(to_string(static_cast<live::BindOutcome>(i)))}});
    auto& without_server =
        counters(registry, "winnow_apiserver_missing_total",
                 "Requests without an API server to ask: the balancer lacks the service or its endpoints.");
    for (std::size_t i = 0; i < live::kBalancerErrors; ++i)
      no_server[i] =
          &without_server.Add({{"reason", std::string(to_string(static_cast<live::BalancerError>(i)))}});
    auto& reviewed = counters(registry, "winnow_access_reviews_total",
                              "Reviews of bearer tokens and of their users' rights, by result.");
    for (std::size_t kind = 0; kind < live::kReviewKinds; ++kind)
      for (std::size_t result = 0; result < live::kReviewResults; ++result)
        reviews[kind][result] =
            &reviewed.Add({{"review", std::string(to_string(static_cast<live::ReviewKind>(kind)))},
                           {"result", std::string(to_string(static_cast<live::ReviewResult>(result)))}});
    auto& loaded =
        counters(registry, "winnow_config_reloads_total", "Changed configurations, taken or refused.");
    for (const bool good : {false, true})
      reloads[good] = &loaded.Add({{"result", good ? "taken" : "refused"}});
    bind_seconds = &prometheus::BuildHistogram()
                        .Name("winnow_bind_duration_seconds")
                        .Help("Time to bind a pod through the API servers.")
                        .Register(registry)
                        .Add({}, kBindSeconds);
  }

  CounterFamily &lists, &opened, &events, &bookmarks, &errors, &older, &rewinds, &undecodable;
  prometheus::Counter &overdue, &sampled, &log_lines_dropped;
  GaugeFamily& setup_problems;
  std::array<prometheus::Counter*, kAssumedOutcomes> outcomes{};
  std::array<prometheus::Counter*, live::kBindOutcomes> binds{};
  std::array<std::array<prometheus::Counter*, live::kReviewResults>, live::kReviewKinds> reviews{};
  std::array<prometheus::Counter*, live::kBalancerErrors> no_server{};
  std::array<prometheus::Counter*, 2> reloads{};
  prometheus::Histogram* bind_seconds = nullptr;
  CertificateSeries certificates;
  Mutex mutex;
  WatchSeries watches WINNOW_GUARDED_BY(mutex);
  GaugeTable<AssumedFigures> assumed WINNOW_GUARDED_BY(mutex);
  Totals assumed_totals WINNOW_GUARDED_BY(mutex);
  PlacesSeries places WINNOW_GUARDED_BY(mutex);
  Totals log_totals WINNOW_GUARDED_BY(mutex);
  GaugeTable<RefusalFigures> refused WINNOW_GUARDED_BY(mutex);
  TotalTable<RefusalFigures> refusal_totals WINNOW_GUARDED_BY(mutex);
  DecisionSeries decisions WINNOW_GUARDED_BY(mutex);
  ReuseSeries reuse WINNOW_GUARDED_BY(mutex);
  RecordingSeries recording WINNOW_GUARDED_BY(mutex);
  NodeMetricsSeries node_metrics WINNOW_GUARDED_BY(mutex);
  NominationSeries nominations;  ///< set() with the mutex held.
  SampleRefusalSeries refused_by_sample;
  GaugeTable<ShadowFigures> shadow WINNOW_GUARDED_BY(mutex);
  TotalTable<ShadowFigures> shadow_totals WINNOW_GUARDED_BY(mutex);
  GaugeTable<TransportFigures> transport WINNOW_GUARDED_BY(mutex);
  TotalTable<TransportFigures> transport_totals WINNOW_GUARDED_BY(mutex);
  std::function<TransportFigures()> transport_figures WINNOW_GUARDED_BY(mutex);
};

namespace {

prometheus::Labels labels(const live::Resource& resource, std::string_view server) {
  return {{"resource", resource.name}, {"server", std::string(server)}};
}

}  // namespace

LiveMetrics::LiveMetrics(prometheus::Registry& registry) : impl_(std::make_unique<Impl>(registry)) {}
LiveMetrics::~LiveMetrics() = default;

void LiveMetrics::on_list(const live::Resource& resource, std::string_view server, std::size_t) {
  impl_->lists.Add(labels(resource, server)).Increment();
}
void LiveMetrics::on_watch(const live::Resource& resource, std::string_view server) {
  impl_->opened.Add(labels(resource, server)).Increment();
  const MutexLock lock(impl_->mutex);
  impl_->watches.move(resource.name, server);
}
void LiveMetrics::on_events(const live::Resource& resource, std::string_view server, std::size_t events) {
  impl_->events.Add(labels(resource, server)).Increment(static_cast<double>(events));
}
void LiveMetrics::on_bookmark(const live::Resource& resource, std::string_view server) {
  impl_->bookmarks.Add(labels(resource, server)).Increment();
}
void LiveMetrics::on_error(const live::Resource& resource, std::string_view server,
                           live::WatchError watch_error, std::string_view) {
  prometheus::Labels with_reason = labels(resource, server);
  if (watch_error == live::WatchError::kOlder) impl_->older.Add(with_reason).Increment();
  with_reason["reason"] = std::string(to_string(watch_error));
  impl_->errors.Add(with_reason).Increment();
}
void LiveMetrics::on_rewind(const live::Resource& resource, std::string_view, std::string_view) {
  impl_->rewinds.Add({{"resource", resource.name}}).Increment();
}
void LiveMetrics::on_undecodable(std::string_view resource) {
  impl_->undecodable.Add({{"resource", std::string(resource)}}).Increment();
}

void LiveMetrics::on_no_server(live::BalancerError why) {
  impl_->no_server[static_cast<std::size_t>(why)]->Increment();
}

void LiveMetrics::set_watches(const std::vector<WatchFigures>& watches) {
  const MutexLock lock(impl_->mutex);
  impl_->watches.set(watches);
  if (!impl_->transport_figures) return;
  const TransportFigures figures = impl_->transport_figures();
  impl_->transport.set(figures);
  impl_->transport_totals.set(figures);
}

void LiveMetrics::follow_transport(std::function<TransportFigures()> figures) {
  const MutexLock lock(impl_->mutex);
  impl_->transport_figures = std::move(figures);
}

void LiveMetrics::set_places(const PlacesFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->places.set(figures);
}

void LiveMetrics::set_refusals(const RefusalFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->refused.set(figures);
  impl_->refusal_totals.set(figures);
}

void LiveMetrics::set_decisions(const DecisionFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->decisions.set(figures);
}

void LiveMetrics::set_reuse(const ReuseCounts& counts) {
  const MutexLock lock(impl_->mutex);
  impl_->reuse.set(counts);
}

void LiveMetrics::set_assumed(const AssumedFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->assumed.set(figures);
  std::vector<Totals::Total> totals = {{&impl_->overdue, figures.overdue_total}};
  for (std::size_t i = 0; i < kAssumedOutcomes; ++i)
    totals.push_back({impl_->outcomes[i], figures.outcomes[i]});
  impl_->assumed_totals.set(totals);
}

void LiveMetrics::observe_bind(live::BindOutcome outcome, double seconds) {
  impl_->binds[static_cast<std::size_t>(outcome)]->Increment();
  impl_->bind_seconds->Observe(seconds);
}
void LiveMetrics::set_serving_certificate_end(double timestamp) {
  impl_->certificates.set_serving(timestamp);
}
void LiveMetrics::observe_client_certificate(double seconds) { impl_->certificates.observe_client(seconds); }
void LiveMetrics::on_access_review(live::ReviewKind kind, live::ReviewResult result) {
  impl_->reviews[static_cast<std::size_t>(kind)][static_cast<std::size_t>(result)]->Increment();
}
void LiveMetrics::set_recording(const RecordingFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->recording.set(figures);
}
void LiveMetrics::set_log_lines_dropped(std::uint64_t lines) {
  const MutexLock lock(impl_->mutex);
  impl_->log_totals.set(std::array{Totals::Total{&impl_->log_lines_dropped, lines}});
}
void LiveMetrics::set_node_metrics(const NodeMetricsFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->node_metrics.set(figures);
}
void LiveMetrics::set_nominations(const NominationFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->nominations.set(figures);
}
void LiveMetrics::set_shadow(const ShadowFigures& figures) {
  const MutexLock lock(impl_->mutex);
  impl_->shadow.set(figures);
  impl_->shadow_totals.set(figures);
}
void LiveMetrics::on_nomination_ended(NominationOutcome outcome) { impl_->nominations.ended(outcome); }
void LiveMetrics::on_nomination_written(live::PatchOutcome outcome, std::optional<double> since_seen) {
  impl_->nominations.written(outcome, since_seen);
}
void LiveMetrics::on_refused_by_sample() { impl_->refused_by_sample.refused(); }
void LiveMetrics::on_refused_pod_bound(double seconds) { impl_->refused_by_sample.bound(seconds); }
void LiveMetrics::set_nominates_refused(bool on) { impl_->refused_by_sample.set_on(on); }
void LiveMetrics::on_reload(bool good) { impl_->reloads[good]->Increment(); }
void LiveMetrics::on_sampled_call() { impl_->sampled.Increment(); }
void LiveMetrics::set_setup_problem(std::string_view problem, bool there) {
  impl_->setup_problems.Add({{"problem", std::string(problem)}}).Set(there ? 1 : 0);
}

}  // namespace winnow
