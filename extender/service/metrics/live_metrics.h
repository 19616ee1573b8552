// The series of all but requests: the watch, assumed and refused pods, binds, the configuration, the log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cluster/client/watch/resource.h"

namespace winnow::live {

enum class BalancerError : std::uint8_t;
enum class BindOutcome : std::uint8_t;
enum class PatchOutcome : std::uint8_t;
enum class ReviewKind : std::uint8_t;
enum class ReviewResult : std::uint8_t;
enum class WatchError : std::uint8_t;

}  // namespace winnow::live

namespace prometheus {
class Registry;
}

namespace winnow {

enum class NominationOutcome : std::uint8_t;
struct AssumedFigures;
struct DecisionFigures;
struct NodeMetricsFigures;
struct NominationFigures;
struct PlacesFigures;
struct RecordingFigures;
struct RefusalFigures;
struct ReuseCounts;
struct ShadowFigures;
struct TransportFigures;
struct WatchFigures;

/// Thread-safe. A series of a resource and a server is made at its first event. The other series exist from
/// the start.
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
  void on_slow_list(const live::Resource&, std::string_view, std::size_t) override {}
  void on_rewind(const live::Resource&, std::string_view from, std::string_view to) override;
  void on_undecodable(std::string_view resource);
  /// Counts a request for which there was no API server.
  void on_no_server(live::BalancerError why);

  /// Sets the figures of all watches, at a scrape, and removes the series of other resources. Reads the
  /// transport's figures too.
  void set_watches(const std::vector<WatchFigures>& watches);
  /// Sets the function that gives the transport's figures from now on; null: none.
  void follow_transport(std::function<TransportFigures()> figures);
  void set_assumed(const AssumedFigures& figures);
  void set_places(const PlacesFigures& figures);
  void set_refusals(const RefusalFigures& figures);
  void set_decisions(const DecisionFigures& figures);
  /// Sets the figures of what is kept of answers. @param counts  of the rules in force.
  void set_reuse(const ReuseCounts& counts);
  void set_recording(const RecordingFigures& figures);
  /// @param lines  of the log, dropped so far.
  void set_log_lines_dropped(std::uint64_t lines);
  void observe_bind(live::BindOutcome outcome, double seconds);
  /// Sets when the certificate of the port for calls expires, in seconds since 1970. Until then it never
  /// does.
  void set_serving_certificate_end(double timestamp);
  /// Observes what is left to the certificate of a client that has called, in seconds.
  void observe_client_certificate(double seconds);
  /// Counts a review of --authorization-webhook.
  void on_access_review(live::ReviewKind kind, live::ReviewResult result);
  void set_node_metrics(const NodeMetricsFigures& figures);
  void set_nominations(const NominationFigures& figures);
  void set_shadow(const ShadowFigures& figures);
  void on_nomination_ended(NominationOutcome outcome);
  /// Counts a write to a pod. @param since_seen  of a pod's first nomination: the time since the pod was
  /// seen, in
  ///   seconds.
  void on_nomination_written(live::PatchOutcome outcome, std::optional<double> since_seen);
  /// Counts a filter call whose refusal a node that it was not about may mend: see --nominate-refused.
  void on_refused_by_sample();
  /// Observes the time from such a refusal until the pod is bound, in seconds.
  void on_refused_pod_bound(double seconds);
  /// Sets whether such pods are nominated. @param on  false: it is off, or the right is missing.
  void set_nominates_refused(bool on);
  /// Counts a reload of the configuration.
  void on_reload(bool good);
  /// Counts a filter call that shows kube-scheduler's sampling.
  void on_sampled_call();
  /// Sets whether the flags and kube-scheduler's configuration have this contradiction; see SetupProblem.
  void set_setup_problem(std::string_view problem, bool there);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace winnow
