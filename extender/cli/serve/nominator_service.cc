#include "extender/cli/serve/nominator_service.h"

#include <chrono>
#include <optional>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/pod_events.h"
#include "cluster/client/watch/leader_election.h"
#include "cluster/memory_budget.h"
#include "cluster/mutex.h"
#include "extender/cli/api_access.h"
#include "extender/cli/flags/flags.h"
#include "extender/nominate/nomination_events.h"
#include "extender/service/config_switch.h"
#include "extender/service/extender.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/what_if/record/recorder.h"

namespace winnow {

namespace {

/// The cache that calls are answered from.
class ServedCache : public CacheStatus {
 public:
  explicit ServedCache(const ConfigSwitch& config_switch) : config_switch_(config_switch) {}
  std::string unusable() const override { return config_switch_.unusable(); }

 private:
  const ConfigSwitch& config_switch_;
};

}  // namespace

DecisionServices::DecisionServices(const ServeFlags& flags, ApiAccess* source, Metrics& metrics,
                                   const std::shared_ptr<DecisionLog>& decision_log) {
  if (!source) return;
  if (flags.nominate.nominate || winnow::nominates_refused(flags, /*live=*/true)) {
    nominating_ = std::make_unique<NominatorService>(flags.nominate, *source, metrics, decision_log);
    source->handle_pods(nominating_->pod_handler());
  }
  if (flags.shadow.shadow) {
    shadowing_ = std::make_unique<Shadowing>(flags.shadow, metrics, decision_log);
    source->handle_pods(shadowing_->pod_handler());
  }
}

void DecisionServices::start(Extender& service, const ConfigSwitch& config_switch) {
  cache_ = std::make_unique<ServedCache>(config_switch);
  if (nominating_) nominating_->start(service, *cache_);
  if (shadowing_) shadowing_->start(service, *cache_);
}

std::string DecisionServices::done_without() const {
  if (!nominating_ || !nominating_->on_request()) return {};
  const std::string denied = nominating_->denied();
  return denied.empty() ? denied
                        : "pods that only a node outside the sample fits are not nominated: " + denied;
}

void DecisionServices::nominate_refused(const Pod& pod, bool by_eviction) {
  if (nominating_ && nominating_->on_request()) nominating_->request(pod, by_eviction);
}

void DecisionServices::on_preempts(const Pod& pod) {
  if (nominating_ && nominating_->on_request()) nominating_->preempts(pod);
}

void DecisionServices::stop() {
  if (nominating_) nominating_->stop();
  if (shadowing_) shadowing_->stop();
}

std::string DecisionServices::why_not_nominated(std::string_view ns, std::string_view name,
                                                std::string_view uid) const {
  return nominating_ ? nominating_->why_not(ns, name, uid) : std::string();
}

void DecisionServices::before_scrape() const {
  if (nominating_) nominating_->before_scrape();
  if (shadowing_) shadowing_->before_scrape();
}

namespace {

/// A denial is told for so long.
constexpr std::chrono::seconds kDeniedFor{60};

/// Whether the write has failed. That a pod is bound, gone or another's by now is no failure: what becomes of
/// its nomination is logged as its end.
bool has_failed(live::PatchOutcome outcome) {
  using enum live::PatchOutcome;
  return outcome == kRefused || outcome == kDenied || outcome == kUnknown;
}

/// Leads while the election says so.
class ElectedLeadership : public Leadership {
 public:
  explicit ElectedLeadership(const live::LeaderElection& election) : election_(election) {}
  std::uint64_t term() const override { return election_.term(); }
  live::Clock::Time until() const override { return election_.leads_until(); }

 private:
  const live::LeaderElection& election_;
};

/// Always leads: there is no other replica.
class SoleLeadership : public Leadership {
 public:
  std::uint64_t term() const override { return 1; }
  live::Clock::Time until() const override { return live::Clock::Time::max(); }
};

/// A Winnow that decides for refused pods alone is asked about each by the one kube-scheduler that it serves:
/// nobody else decides for them.
NominateFlags effective(NominateFlags flags) {
  if (flags.nominate) return flags;
  flags.leader_elect = flags.events = false;
  flags.gate.clear();
  flags.schedulers.clear();
  return flags;
}

/// @param election  null: this process always leads.
std::unique_ptr<const Leadership> leadership_by(const live::LeaderElection* election) {
  if (!election) return std::make_unique<SoleLeadership>();
  return std::make_unique<ElectedLeadership>(*election);
}

/// Patches the pods of the live cluster.
class LivePodWriter : public PodWriter {
 public:
  explicit LivePodWriter(live::PodPatcher& patcher) : patcher_(patcher) {}
  live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node,
                             const std::string& instead_of, live::Clock::Time deadline,
                             const std::stop_token& stop) override {
    return patcher_.nominate(pod, node, instead_of, deadline, stop);
  }
  live::PatchResult remove_gate(const live::PodIdentity& pod, std::string_view gate,
                                live::Clock::Time deadline, const std::stop_token& stop) override {
    return patcher_.remove_gate(pod, gate, deadline, stop);
  }

 private:
  live::PodPatcher& patcher_;
};

/// Writes events to the live cluster.
class LiveEventRecorder : public EventRecorder {
 public:
  explicit LiveEventRecorder(std::unique_ptr<live::PodEvents> events) : events_(std::move(events)) {}
  void record(live::PodEvent event) override { events_->tell(std::move(event)); }

 private:
  const std::unique_ptr<live::PodEvents> events_;
};

std::unique_ptr<live::LeaderElection> election_by(const NominateFlags& flags, ApiAccess& access,
                                                  live::LeaderElectionObserver& observer) {
  if (!flags.leader_elect) return nullptr;
  live::LeaderElectionOptions options = flags.election;
  options.identity = live::election_identity();
  if (options.resource_namespace.empty()) options.resource_namespace = live::election_namespace();
  return access.make_election(std::move(options), observer);
}

}  // namespace

/// Logs what the election goes through, and keeps why it is denied.
class NominatorService::ElectionLog : public live::LeaderElectionObserver {
 public:
  void on_started_leading(std::uint64_t) override { keep(""); }  // The nominator tells when it has noticed.
  void on_stopped_leading(live::LeadEnd end, const std::string& why) override {
    const auto log = end == live::LeadEnd::kGivenBack ? log_info : log_warn;
    log("this process leads no more: nominations stop", {{"reason", why}});
  }
  void on_new_leader(const std::string& identity) override {
    log_info("leader", {{"holder", identity.empty() ? "(nobody)" : identity}});
  }
  void on_failure(const std::string& error) override {
    keep(live::tells_of_denial(error) ? error : "");
    if (const auto left_out = told_.next(std::chrono::steady_clock::now()))
      log_warn("the Lease could not be taken or renewed", {{"error", error}, {"lines_left_out", *left_out}});
  }

  /// Why the Lease cannot be taken, if that is denied.
  std::string denied() const {
    const MutexLock lock(mutex_);
    return std::chrono::steady_clock::now() - denied_at_ < kDeniedFor ? denied_ : "";
  }

 private:
  void keep(std::string denied) {
    const MutexLock lock(mutex_);
    denied_ = std::move(denied);
    denied_at_ = std::chrono::steady_clock::now();
  }

  LogRate told_;
  mutable Mutex mutex_;
  std::string denied_ WINNOW_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point denied_at_ WINNOW_GUARDED_BY(mutex_);
};

NominatorService::NominatorService(const NominateFlags& flags, ApiAccess& access, Metrics& metrics,
                                   std::shared_ptr<DecisionLog> decision_log)
    : flags_(effective(flags)),
      access_(access),
      metrics_(metrics),
      decision_log_(std::move(decision_log)),
      pods_({.gate = flags_.gate,
             .release_infeasible = flags.gate_when_infeasible == GateWhenInfeasible::kRelease,
             .on_request = !flags.nominate},
            live::system_clock()),
      election_log_(std::make_unique<ElectionLog>()),
      election_(election_by(flags_, access, *election_log_)),
      leadership_(leadership_by(election_.get())),
      pod_writer_(std::make_unique<LivePodWriter>(access.pod_patcher())) {}

NominatorService::~NominatorService() { stop(); }

void NominatorService::stop() {
  deciding_ = {};
  writers_.reset();
  events_.reset();
  if (election_) election_->stop();
}

void NominatorService::start(Extender& service, const CacheStatus& cache) {
  if (flags_.events)
    events_ = std::make_unique<LiveEventRecorder>(access_.make_events(std::string(live::kNominationManager)));
  writers_.emplace(NominationWriting{
      .pods = *pod_writer_, .leadership = *leadership_, .owner = *this, .clock = live::system_clock()});
  const Nominator::Parts parts{.decisions = service.decisions(),
                               .picker = service.picker(),
                               .pods = pods_,
                               .writes = *writers_,
                               .leadership = *leadership_,
                               .cache = cache,
                               .clock = live::system_clock(),
                               .events = events_.get(),
                               .metrics = &metrics_.live(),
                               .decision_log = decision_log_.get()};
  nominator_.emplace(parts, Nominator::Options{.schedulers = flags_.schedulers,
                                               .holds_infeasible =
                                                   flags_.gate_when_infeasible == GateWhenInfeasible::kHold});
  if (election_) election_->start();
  deciding_ = std::jthread([this](const std::stop_token& stop) {
    if (on_request()) look_at_right(stop);
    nominator_->run(stop);
  });
}

void NominatorService::request(const Pod& pod, bool by_eviction) {
  const ObjectMeta& meta = pod.metadata;
  pods_.request({.ns = meta.namespace_,
                 .name = meta.name,
                 .uid = meta.uid,
                 .version = to_number(meta.resource_version),
                 .by_eviction = by_eviction});
}

/// Asks an API server once whether pods may be nominated. Nobody would notice before the first refused pod.
void NominatorService::look_at_right(const std::stop_token& stop) {
  constexpr std::chrono::seconds kLongest{5};
  const auto review =
      access_.reviewer().review(live::OwnAccess{.verb = "patch", .resource = "pods", .subresource = "status"},
                                live::system_clock().now() + kLongest, stop);
  if (!review || review->allowed) return;  // Where no API server says it, a write will.
  const std::string wrong = "the API server denies Winnow the right to patch pods/status" +
                            (review->reason.empty() ? std::string() : ": " + review->reason);
  log_warn(
      "pods that only a node outside kube-scheduler's sample fits cannot be nominated: give Winnow the "
      "right, or "
      "write this line into kube-scheduler's configuration",
      {{"error", wrong}, {"line", "percentageOfNodesToScore: 100"}});
  const MutexLock lock(right_mutex_);
  no_right_ = wrong;
}

void NominatorService::on_done(const NominationWrite& write, const WriteResult& result) {
  std::optional<std::chrono::duration<double>> since_seen;
  if (!result.again) since_seen = pods_.report(result.report);
  if (!result.sent) return;
  std::optional<double> seconds;
  if (since_seen) seconds = since_seen->count();
  metrics_.live().on_nomination_written(result.outcome, seconds);
  if (result.outcome == live::PatchOutcome::kWritten) {
    const MutexLock lock(right_mutex_);
    no_right_.clear();
  }
  if (!has_failed(result.outcome)) return;
  if (const auto left_out = failures_told_.next(std::chrono::steady_clock::now()))
    log_warn("a pod could not be patched", {{"pod", write.pod.ns + '/' + write.pod.name},
                                            {"node", write.node},
                                            {"result", to_string(result.outcome)},
                                            {"error", result.error},
                                            {"lines_left_out", *left_out}});
}

std::string NominatorService::denied() const {
  if (const std::string denied = access_.pod_patcher().denied(); !denied.empty()) return denied;
  if (const std::string denied = election_log_->denied(); !denied.empty()) return denied;
  const MutexLock lock(right_mutex_);
  return no_right_;
}

std::string NominatorService::why_not(std::string_view ns, std::string_view name,
                                      std::string_view uid) const {
  const auto status = pods_.status_of(ns, name);
  if (!status || status->uid != uid || !status->why_not) return {};
  return std::string(sentence_of(*status->why_not));
}

void NominatorService::before_scrape() const {
  const WaitingFigures figures = pods_.figures();
  metrics_.live().set_nominations({.queued = figures.queued,
                                   .fit_nowhere = figures.fit_nowhere,
                                   .left = figures.left,
                                   .nominated = figures.nominated,
                                   .left_out = figures.left_out,
                                   .leads = leadership_->term() != 0});
  metrics_.live().set_nominates_refused(denied().empty());
}

void Shadowing::start(Extender& service, const CacheStatus& cache) {
  shadow_.emplace(service.decisions(), service.picker(), told_, cache,
                  Shadow::Options{.schedulers = flags_.schedulers, .decision_log = decision_log_});
  log_info("a shadow: it decides beside kube-scheduler, answers no call, and writes nothing");
  thread_ = std::jthread([this](const std::stop_token& stop) { shadow_->run(stop); });
  started_ = true;
}

void Shadowing::before_scrape() const {
  // A shadow says that it is one from the first scrape on.
  metrics_.live().set_shadow(started_ ? shadow_->figures() : ShadowFigures{.on = true});
}

live::PatchResult SecondLooks::Asking::nominate(const live::PodIdentity& pod, const std::string& node) {
  return access_->pod_patcher().nominate(pod, node, "", live::system_clock().now() + PodWaker::kLongest, {});
}

live::PodLookedUp SecondLooks::Asking::look_up(const AssumedPods::Attempt& pod, const std::stop_token& stop) {
  return access_->pod_look_up().look_up(pod.ns, pod.name, pod.uid,
                                        live::system_clock().now() + AssumedCheck::kLongest, stop);
}

SecondLooks::SecondLooks(Extender& service, ApiAccess* access, bool wakes)
    : asking_(access),
      recheck_(service.refusals(), service.decisions()),
      waker_(asking_),
      assumed_check_(service.decisions(), asking_) {
  if (!access) return;
  if (wakes) recheck_.wake_by(&waker_);
  rechecking_ = std::jthread([this](const std::stop_token& stop) { recheck_.run(stop); });
  checking_ = std::jthread([this](const std::stop_token& stop) { assumed_check_.run(stop); });
}

FailedNodes failed_nodes_of(const ServeFlags& flags, bool live) {
  return flags.failed_nodes.value_or(live ? FailedNodes::kQuiet : FailedNodes::kJudged);
}

std::expected<std::unique_ptr<Recorder>, std::string> open_recorder(const CommonFlags& common,
                                                                    const ServeFlags& flags, bool live) {
  if (flags.record.dir.empty()) return nullptr;
  RecordedOptions options{.answer = flags.answer, .scale = common.scale};
  options.failed_nodes = failed_nodes_of(flags, live);
  options.preempt_search = flags.preempt_search;
  options.scheduler_filters = flags.scheduler_filters;
  options.assume = live;
  options.nominates_refused = nominates_refused(flags, live);
  options.seed = common.seed;
  LogWriter::Options files{.dir = flags.record.dir, .most_bytes = flags.record.bytes};
  files.most_queued = share_of_memory(16, 16UL << 20, files.most_queued);
  auto recorder = Recorder::open(std::move(files), options, common.feature_gates);
  if (!recorder) return std::unexpected("--record: " + recorder.error());
  log_info("recording", {{"dir", flags.record.dir}, {"most_bytes", flags.record.bytes}});
  return std::move(*recorder);
}

}  // namespace winnow
