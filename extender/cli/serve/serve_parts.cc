#include "extender/cli/serve/serve_parts.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "cluster/client/access/server_url.h"
#include "cluster/memory_budget.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/serve/listener_security.h"
#include "extender/service/log/log.h"

namespace winnow {
namespace {

/// At least 2, so that a slow call does not delay the probes.
unsigned handler_threads() { return std::max(2u, std::thread::hardware_concurrency()); }

/// Additional threads with --enable-bind, since binds wait for API servers. See ExtenderOptions::computing.
constexpr std::size_t kBindThreads = 64;

/// What a TLS session takes while its handshake goes on. A finished one takes less.
constexpr std::size_t kSessionBytes = 128UL << 10;

}  // namespace

http::Limits limits_of(const ServeFlags& flags) {
  http::Limits limits = http::Limits::of_memory();
  limits.workers = handler_threads() + (flags.enable_bind ? kBindThreads : 0);
  limits.readers = std::max(1u, std::thread::hardware_concurrency() / 2);
  limits.asks_certificates = !flags.tls.client_ca_file.empty();
  limits.stranger_bytes = limits.buffered_bytes / 8;
  if (!flags.tls.cert_file.empty())
    limits.connections =
        share_of_memory(8, kSessionBytes, limits.connections * kSessionBytes) / kSessionBytes;
  return limits;
}

ExtenderOptions options_of(const CommonFlags& common, const ServeFlags& flags, const Recorder* recorder,
                           bool live) {
  ExtenderOptions options{.answer = flags.answer, .scale = common.scale, .seed = common.seed};
  options.failed_nodes = failed_nodes_of(flags, live);
  if (recorder) options.drawn = recorder->options().drawn;
  options.preempt_search = flags.preempt_search;
  options.scheduler_filters = flags.scheduler_filters;
  options.loopback = live::is_loopback(flags.bind_address);
  options.health_loopback = is_loopback_listener(flags.metrics_bind_address);
  options.assume = live;
  options.binds = flags.enable_bind;
  options.nominates = live && flags.nominate.nominate;
  options.shadow = live && flags.shadow.shadow;
  if (live) options.catch_up = flags.catch_up;
  options.request_timeout = flags.request_timeout;
  options.flags = flags.shown;
  if (flags.enable_bind) options.computing = handler_threads();
  return options;
}

std::expected<std::shared_ptr<CacheSource>, std::string> SourcesOfFlags::make(const State::Options& options,
                                                                              WatchedKinds needs) {
  const auto journal = recorder_ ? recorder_->journal_of(options) : nullptr;
  if (access_) {
    auto made = std::make_shared<CacheSource>(options, needs, access_->shared());
    made->cache().set_journal(journal);
    return made;
  }
  std::function<void(std::string_view)> given;
  if (journal) given = [&](std::string_view json) { journal->given(json); };
  auto cache = cache_from(common_, options, given);
  if (!cache) return std::unexpected(std::move(cache).error());
  (*cache)->set_journal(journal);
  return std::make_shared<CacheSource>(std::move(*cache));
}

void TakenConfig::serve_by(Extender& service) {
  service_ = &service;
  if (recorder_) recorder_->on_serving(service.active());
}

void TakenConfig::on_rules(const LoadedRules& rules) {
  in_force_.taken(rules);
  if (recorder_) recorder_->on_rules(rules);
}

void TakenConfig::on_active(ActiveConfig active) {
  if (!service_) return;
  if (recorder_) recorder_->on_serving(active);
  service_->replace(std::move(active));
}

std::string ServeServices::not_ready() const {
  if (stopping_) return "the service is being stopped";
  std::string why = parts_.config_switch.not_ready();
  if (why.empty() && parts_.access) why = parts_.access->binder().denied();
  return why.empty() ? parts_.deciders.denied() : why;
}

live::BindResult ServeServices::bind(const live::Binding& binding,
                                     std::chrono::steady_clock::time_point deadline) {
  // Never cancelled: a bind is short, and the end of the service waits for it.
  return parts_.access->binder().bind(binding, deadline, {});
}

void ServeServices::before_scrape() {
  parts_.config_switch.before_scrape();
  LiveMetrics& metrics = parts_.metrics.live();
  if (const Recorder* const recorder = parts_.recorder; recorder != nullptr)
    metrics.set_recording({.lines = recorder->lines(), .lost_lines = recorder->lost_lines()});
  metrics.set_log_lines_dropped(log_lines_dropped());
  parts_.deciders.before_scrape();
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

}  // namespace winnow
