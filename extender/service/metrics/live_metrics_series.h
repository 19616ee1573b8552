// Internal to extender/service/metrics: the series of live_metrics.cc that are set from figures, as tables,
// and the series of each watch.
#pragma once

#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/servers/pod_patcher.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decision_record.h"
#include "extender/reuse/kept_answers.h"
#include "extender/service/metrics/figures.h"

namespace winnow {

/// The series of each watched resource. One thread at a time.
class WatchSeries {
 public:
  explicit WatchSeries(prometheus::Registry& registry)
      : age_(gauges(
            registry, "winnow_watch_age_seconds",
            "Time since an API server last sent anything; an idle watch gets a bookmark each minute.")),
        synced_(gauges(registry, "winnow_watch_synced", "1: a whole list has been taken in.")),
        stale_(gauges(registry, "winnow_watch_stale",
                      "1: the API servers have been silent for longer than the picture may be old.")),
        version_(gauges(registry, "winnow_watch_resource_version", "The picture's resource version.")),
        server_(gauges(registry, "winnow_watch_server", "1: the server that the resource is watched at.")),
        unread_(gauges(registry, "winnow_watch_unread",
                       "1: API servers deny or do not serve the resource, and Winnow does without.")) {}

  /// Sets the figures of all watches of the cache. Series of other resources are removed.
  void set(const std::vector<WatchFigures>& watches) {
    for (auto& [name, series] : of_) {
      const auto watch = std::ranges::find(watches, name, &WatchFigures::resource);
      if (series.age != nullptr && (watch == watches.end() || watch->unread)) remove(series);
    }
    for (const auto& [name, gauge] : unread_of_)
      if (!std::ranges::contains(watches, name, &WatchFigures::resource)) unread_.Remove(gauge);
    std::erase_if(unread_of_, [&](const auto& one) {
      return !std::ranges::contains(watches, one.first, &WatchFigures::resource);
    });
    for (const WatchFigures& watch : watches) {
      if (!watch.unread) set(watch);
      set_unread(watch);
    }
  }

  /// Notes that the resource is watched at this server, and at no other.
  void move(const std::string& resource, std::string_view server) {
    Series& series = of_[resource];
    series.at = server;
    if (!series.gone) show_server(resource, series);
  }

 private:
  struct Series {
    prometheus::Gauge *age = nullptr, *synced = nullptr, *stale = nullptr, *version = nullptr,
                      *server = nullptr;
    std::string at;
    bool gone = false;  ///< No longer watched. A watch that is about to end may still call move().
  };

  void set(const WatchFigures& watch) {
    Series& series = of_[watch.resource];
    if (series.age == nullptr) {
      const prometheus::Labels resource = {{"resource", watch.resource}};
      series.age = &age_.Add(resource);
      series.synced = &synced_.Add(resource);
      series.stale = &stale_.Add(resource);
      series.version = &version_.Add(resource);
    }
    if (std::exchange(series.gone, false)) show_server(watch.resource, series);
    series.age->Set(watch.age_seconds);
    series.synced->Set(watch.synced ? 1 : 0);
    series.stale->Set(watch.stale ? 1 : 0);
    series.version->Set(static_cast<double>(watch.resource_version));
  }

  void set_unread(const WatchFigures& watch) {
    prometheus::Gauge*& gauge = unread_of_[watch.resource];
    if (gauge == nullptr) gauge = &unread_.Add({{"resource", watch.resource}});
    gauge->Set(watch.missing ? 1 : 0);
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
    stale_.Remove(series.stale);
    version_.Remove(series.version);
    if (series.server != nullptr) server_.Remove(series.server);
    series = {};
    series.gone = true;
  }

  GaugeFamily &age_, &synced_, &stale_, &version_, &server_, &unread_;
  std::map<std::string, Series> of_;
  std::map<std::string, prometheus::Gauge*> unread_of_;
};

/// The series of certificates. Any thread.
///
/// The histogram is the API server's, with its buckets. Upstream:
/// apiserver_client_certificate_expiration_seconds of apiserver/pkg/authentication/request/x509/x509.go
/// v1.37.0.
class CertificateSeries {
 public:
  explicit CertificateSeries(prometheus::Registry& registry)
      : serving_(gauges(registry, "winnow_serving_certificate_expiration_timestamp_seconds",
                        "When the certificate of the port for calls expires, since 1970; +Inf: it has none.")
                     .Add({})),
        clients_(prometheus::BuildHistogram()
                     .Name("winnow_client_certificate_expiration_seconds")
                     .Help("What is left to the client certificate of a call until it expires.")
                     .Register(registry)
                     .Add({}, prometheus::Histogram::BucketBoundaries{
                                  0, kHour / 2, kHour, 2 * kHour, 6 * kHour, 12 * kHour, kDay, 2 * kDay,
                                  4 * kDay, 7 * kDay, 30 * kDay, 90 * kDay, 180 * kDay, 365 * kDay})) {
    serving_.Set(std::numeric_limits<double>::infinity());
  }

  void set_serving(double timestamp) { serving_.Set(timestamp); }
  void observe_client(double seconds) { clients_.Observe(seconds); }

 private:
  static constexpr double kHour = 3600, kDay = 24 * kHour;
  prometheus::Gauge& serving_;
  prometheus::Histogram& clients_;
};

inline constexpr TotalRow<TransportFigures> kTransportTotals[] = {
    {"winnow_apiserver_connections_total", "Connections to API servers made, with their handshakes.",
     &TransportFigures::connections},
    {"winnow_apiserver_connect_failures_total", "Connections to API servers that could not be made.",
     &TransportFigures::connect_failures},
    {"winnow_apiserver_resent_requests_total", "Requests sent again because a kept connection was gone.",
     &TransportFigures::resent_requests},
    {"winnow_credential_reloads_total", "Credentials that had changed when their files were read again.",
     &TransportFigures::token_reloads, "what", "token"},
    {"winnow_credential_reloads_total", "Credentials that had changed when their files were read again.",
     &TransportFigures::authority_reloads, "what", "certificate_authority"},
    {"winnow_credential_reloads_total", "Credentials that had changed when their files were read again.",
     &TransportFigures::client_certificate_reloads, "what", "client_certificate"},
    {"winnow_credential_reload_failures_total",
     "Failed readings of the credentials' files; the old ones stay in use.",
     &TransportFigures::token_failures, "what", "token"},
    {"winnow_credential_reload_failures_total",
     "Failed readings of the credentials' files; the old ones stay in use.",
     &TransportFigures::certificate_failures, "what", "certificates"},
    {"winnow_apiserver_denied_total",
     "Requests that API servers denied: 401, the credentials; 403, a right is missing.",
     &TransportFigures::unauthorized, "code", "401"},
    {"winnow_apiserver_denied_total",
     "Requests that API servers denied: 401, the credentials; 403, a right is missing.",
     &TransportFigures::forbidden, "code", "403"},
};
inline constexpr GaugeRow<TransportFigures> kTransportGauges[] = {
    {"winnow_insecure_skip_tls_verify", "1: the API servers' certificates are not verified.",
     &figure<&TransportFigures::insecure_skip_tls_verify>},
};

inline constexpr GaugeRow<RefusalFigures> kRefusalGauges[] = {
    {"winnow_refused_pods",
     "Pods that no node was found for, and that kube-scheduler has not asked about since.",
     &figure<&RefusalFigures::pods>},
    {"winnow_refused_would_fit", "Refused pods that have fitted for a second or more.",
     &figure<&RefusalFigures::would_fit>},
    {"winnow_watch_lateness_seconds", "How late Winnow's watch usually is behind kube-scheduler's.",
     &figure<&RefusalFigures::lateness_seconds>},
};
inline constexpr TotalRow<RefusalFigures> kRefusalTotals[] = {
    {"winnow_refused_would_fit_total", "Refused pods that the log names, because they have fitted for long.",
     &RefusalFigures::told_total},
    {"winnow_refused_in_doubt_total",
     "Refusals that say that the watch may be late, so that kube-scheduler asks again.",
     &RefusalFigures::doubts_total},
};

/// The series of the decisions that are kept. One thread at a time.
class DecisionSeries {
 public:
  explicit DecisionSeries(prometheus::Registry& registry)
      : kept_(gauges(registry, "winnow_decisions_kept", "Decisions that GET /decisions can answer.").Add({})),
        bytes_(gauges(registry, "winnow_decisions_kept_bytes", "Memory of these decisions.").Add({})) {
    auto& made = counters(registry, "winnow_decisions_total", "Decisions that were kept, by verb.");
    for (std::size_t i = 0; i < kDecisionVerbs; ++i)
      made_.push_back(&made.Add({{"verb", std::string(to_string(static_cast<DecisionVerb>(i)))}}));
    auto& ended = counters(registry, "winnow_decisions_ended_total",
                           "Kept decisions of which it is known what became of them, by result.");
    for (std::size_t i = 0; i < kDecisionResults; ++i)
      if (const auto result = static_cast<DecisionResult>(i); result != DecisionResult::kWaiting)
        ended_.emplace_back(i, &ended.Add({{"result", std::string(to_string(result))}}));
  }

  void set(const DecisionFigures& figures) {
    kept_.Set(static_cast<double>(figures.kept));
    bytes_.Set(static_cast<double>(figures.bytes));
    std::vector<Totals::Total> totals;
    for (std::size_t i = 0; i < made_.size(); ++i) totals.push_back({made_[i], figures.made[i]});
    for (const auto& [result, counter] : ended_) totals.push_back({counter, figures.ended[result]});
    totals_.set(totals);
  }

 private:
  prometheus::Gauge &kept_, &bytes_;
  std::vector<prometheus::Counter*> made_;  ///< By verb.
  std::vector<std::pair<std::size_t, prometheus::Counter*>> ended_;
  Totals totals_;
};

/// The series of what is kept of answers. One thread at a time.
class ReuseSeries {
 public:
  explicit ReuseSeries(prometheus::Registry& registry)
      : classes_(gauges(registry, "winnow_reuse_classes", "Classes of equal pods whose answers are kept.")
                     .Add({})),
        bytes_(gauges(registry, "winnow_reuse_bytes", "Memory of these answers, roughly.").Add({})),
        answers_(counters(registry, "winnow_reuse_answers_total",
                          "Passes over nodes that were answered by what was kept.")
                     .Add({})),
        redone_(counters(registry, "winnow_reuse_redone_nodes_total",
                         "Nodes that rules were asked about anew in these passes.")
                    .Add({})),
        checked_(counters(registry, "winnow_reuse_checks_total",
                          "Such passes that were computed in full as well, and compared.")
                     .Add({})),
        mismatches_(counters(registry, "winnow_reuse_mismatches_total",
                             "Such passes that were found wrong. The right answer was given.")
                        .Add({})) {}

  void set(const ReuseCounts& counts) {
    classes_.Set(static_cast<double>(counts.classes));
    bytes_.Set(static_cast<double>(counts.bytes));
    const Totals::Total totals[] = {{&answers_, counts.answers},
                                    {&redone_, counts.redone},
                                    {&checked_, counts.checked},
                                    {&mismatches_, counts.mismatches}};
    totals_.set(totals);
  }

 private:
  prometheus::Gauge &classes_, &bytes_;
  prometheus::Counter &answers_, &redone_, &checked_, &mismatches_;
  Totals totals_;
};

/// The series of the places that are held. One thread at a time.
class PlacesSeries {
 public:
  explicit PlacesSeries(prometheus::Registry& registry)
      : untried_(
            gauges(registry, "winnow_places_held_untried_seconds",
                   "How long Winnow's oldest nomination stands of a pod that kube-scheduler never tried.")
                .Add({})) {
    auto& held =
        gauges(registry, "winnow_places_held", "Places held on nodes for pods that are not there yet.");
    for (const char* const by : {"nomination", "other_nomination", "assumption"})
      held_.push_back(&held.Add({{"by", by}}));
  }

  void set(const PlacesFigures& figures) {
    const std::size_t places[] = {figures.nominations, figures.other_nominations, figures.assumptions};
    for (std::size_t i = 0; i < held_.size(); ++i) held_[i]->Set(static_cast<double>(places[i]));
    untried_.Set(figures.untried_seconds);
  }

 private:
  prometheus::Gauge& untried_;
  std::vector<prometheus::Gauge*> held_;
};

/// The series of the recording. One thread at a time.
class RecordingSeries {
 public:
  explicit RecordingSeries(prometheus::Registry& registry)
      : lines_(counters(registry, "winnow_recording_lines_total", "Lines that were recorded.").Add({})),
        lost_(counters(registry, "winnow_recording_lost_lines_total",
                       "Lines that are lost: the recording has ended early, or a file of it was removed.")
                  .Add({})) {}

  void set(const RecordingFigures& figures) {
    totals_.set(std::array{Totals::Total{&lines_, figures.lines}, Totals::Total{&lost_, figures.lost_lines}});
  }

 private:
  prometheus::Counter &lines_, &lost_;
  Totals totals_;
};

/// The series of what is measured of nodes. One thread at a time.
class NodeMetricsSeries {
 public:
  explicit NodeMetricsSeries(prometheus::Registry& registry)
      : age_(gauges(registry, "winnow_node_metrics_age_seconds",
                    "Age of the oldest usage of a node that is in use; 0: none is.")
                 .Add({})),
        nodes_(
            gauges(registry, "winnow_node_metrics_nodes", "Nodes with a measurement in use, by its source.")),
        polls_(counters(registry, "winnow_node_metrics_polls_total",
                        "Times that a source of measurements was asked, by result.")) {}

  /// Sources that are not among the figures have no gauge any more.
  void set(const NodeMetricsFigures& figures) {
    age_.Set(figures.oldest_seconds);
    std::erase_if(nodes_of_, [&](const auto& one) {
      if (std::ranges::contains(figures.sources, one.first, &NodeMetricsFigures::Source::name)) return false;
      nodes_.Remove(one.second);
      return true;
    });
    std::vector<Totals::Total> totals;
    for (const NodeMetricsFigures::Source& source : figures.sources) {
      prometheus::Gauge*& gauge = nodes_of_[source.name];
      if (gauge == nullptr) gauge = &nodes_.Add({{"source", source.name}});
      gauge->Set(static_cast<double>(source.nodes));
      for (std::size_t i = 0; i < live::kPollResults; ++i)
        totals.push_back({&polls_.Add({{"source", source.name},
                                       {"result", std::string(to_string(static_cast<live::PollResult>(i)))}}),
                          source.polls[i]});
    }
    totals_.set(totals);
  }

 private:
  prometheus::Gauge& age_;
  GaugeFamily& nodes_;
  CounterFamily& polls_;
  std::map<std::string, prometheus::Gauge*> nodes_of_;
  Totals totals_;
};

/// The series of nominations. Those of figures: one thread at a time.
class NominationSeries {
 public:
  explicit NominationSeries(prometheus::Registry& registry)
      : leader_(gauges(registry, "winnow_leader",
                       "1: this process nominates. 0: it does not, or another one does.")
                    .Add({})),
        since_seen_(prometheus::BuildHistogram()
                        .Name("winnow_nomination_duration_seconds")
                        .Help("Time from seeing a waiting pod to its first nomination on the API.")
                        .Register(registry)
                        .Add({}, prometheus::Histogram::BucketBoundaries{0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                                         0.5, 1, 2.5, 5, 10, 30, 60, 300})) {
    auto& queue = gauges(registry, "winnow_nomination_queue_pods", "Waiting pods, by what they wait for.");
    for (const char* const state : {"queued", "fits_nowhere", "left_to_others", "nominated"})
      queue_.push_back(&queue.Add({{"state", state}}));
    auto& ended = counters(registry, "winnow_nominations_total", "Nominations that have ended, by outcome.");
    for (std::size_t i = 0; i < kNominationOutcomes; ++i)
      ended_.push_back(&ended.Add({{"outcome", std::string(to_string(static_cast<NominationOutcome>(i)))}}));
    auto& left_out = counters(registry, "winnow_pods_not_nominated_total",
                              "Waiting pods that get no nomination, by reason.");
    for (std::size_t i = 0; i < kWhysNotNominated; ++i)
      left_out_.push_back(
          &left_out.Add({{"reason", std::string(to_string(static_cast<WhyNotNominated>(i)))}}));
    auto& writes = counters(registry, "winnow_nomination_writes_total", "Writes to waiting pods, by result.");
    for (std::size_t i = 0; i < live::kPatchOutcomes; ++i)
      writes_.push_back(
          &writes.Add({{"result", std::string(to_string(static_cast<live::PatchOutcome>(i)))}}));
  }

  void set(const NominationFigures& figures) {
    const std::size_t pods[] = {figures.queued, figures.fit_nowhere, figures.left, figures.nominated};
    for (std::size_t i = 0; i < queue_.size(); ++i) queue_[i]->Set(static_cast<double>(pods[i]));
    leader_.Set(figures.leads ? 1 : 0);
    std::vector<Totals::Total> totals;
    for (std::size_t i = 0; i < left_out_.size(); ++i) totals.push_back({left_out_[i], figures.left_out[i]});
    totals_.set(totals);
  }
  // From any thread.
  void ended(NominationOutcome outcome) { ended_[static_cast<std::size_t>(outcome)]->Increment(); }
  void written(live::PatchOutcome outcome, std::optional<double> since_seen) {
    writes_[static_cast<std::size_t>(outcome)]->Increment();
    if (since_seen) since_seen_.Observe(*since_seen);
  }

 private:
  prometheus::Gauge& leader_;
  prometheus::Histogram& since_seen_;
  std::vector<prometheus::Gauge*> queue_;
  std::vector<prometheus::Counter*> ended_;     ///< By outcome.
  std::vector<prometheus::Counter*> writes_;    ///< By outcome.
  std::vector<prometheus::Counter*> left_out_;  ///< By WhyNotNominated.
  Totals totals_;
};

/// The series of pods that fit on none of the nodes asked, and that another node may help. Any thread.
class SampleRefusalSeries {
 public:
  explicit SampleRefusalSeries(prometheus::Registry& registry)
      : refused_(counters(registry, "winnow_refused_by_sample_total",
                          "Filter calls that fit on none of the nodes asked, where another node may help.")
                     .Add({})),
        on_(gauges(registry, "winnow_nominates_refused",
                   "1: such pods are nominated. 0: that is off, or the right is missing.")
                .Add({})),
        seconds_(prometheus::BuildHistogram()
                     .Name("winnow_refused_by_sample_bound_seconds")
                     .Help("Time from such a refusal until the nominated pod is bound.")
                     .Register(registry)
                     .Add({}, prometheus::Histogram::BucketBoundaries{0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 15,
                                                                      30, 60, 300})) {}

  void refused() { refused_.Increment(); }
  void bound(double seconds) { seconds_.Observe(seconds); }
  void set_on(bool on) { on_.Set(on ? 1 : 0); }

 private:
  prometheus::Counter& refused_;
  prometheus::Gauge& on_;
  prometheus::Histogram& seconds_;
};

inline constexpr const char* kShadowDecisions =
    "Decisions of a shadow, by what kube-scheduler did with the pod.";
inline constexpr const char* kShadowUndecided = "Pods that a shadow could not decide, by reason.";
inline constexpr TotalRow<ShadowFigures> kShadowTotals[] = {
    {"winnow_shadow_decisions_total", kShadowDecisions, &ShadowFigures::same, "result", "same"},
    {"winnow_shadow_decisions_total", kShadowDecisions, &ShadowFigures::tie, "result", "tie"},
    {"winnow_shadow_decisions_total", kShadowDecisions, &ShadowFigures::other, "result", "other"},
    {"winnow_shadow_decisions_total", kShadowDecisions, &ShadowFigures::refused, "result", "refused"},
    {"winnow_shadow_decisions_total", kShadowDecisions, &ShadowFigures::nowhere, "result", "nowhere"},
    {"winnow_shadow_undecided_total", kShadowUndecided, &ShadowFigures::dropped, "reason", "dropped"},
    {"winnow_shadow_undecided_total", kShadowUndecided, &ShadowFigures::too_long, "reason", "too_long"},
    {"winnow_shadow_undecided_total", kShadowUndecided, &ShadowFigures::failed, "reason", "error"},
};
inline constexpr GaugeRow<ShadowFigures> kShadowGauges[] = {
    {"winnow_shadow", "1: this process is a shadow: it decides, and answers nobody.",
     &figure<&ShadowFigures::on>},
    {"winnow_shadow_queue_pods", "Pods that a shadow is still to decide.", &figure<&ShadowFigures::queued>},
    {"winnow_shadow_lag_seconds", "How long the oldest of these pods has waited.",
     &figure<&ShadowFigures::lag_seconds>},
};

inline constexpr GaugeRow<AssumedFigures> kAssumedGauges[] = {
    {"winnow_assumed_pods", "Pods on their way: counted on a node, not seen there yet.",
     &figure<&AssumedFigures::pods>},
    {"winnow_assumed_oldest_seconds", "Time since the oldest assumed pod was assumed.",
     &figure<&AssumedFigures::oldest_seconds>},
};

}  // namespace winnow
