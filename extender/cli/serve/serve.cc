#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <thread>

#include "cluster/client/access/server_url.h"
#include "cluster/memory_budget.h"
#include "extender/cli/api_access.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/serve/config_source.h"
#include "extender/cli/serve/listener_security.h"
#include "extender/cli/serve/nominator_service.h"
#include "extender/service/authorization/token_access.h"
#include "extender/service/config_switch.h"
#include "extender/service/extender.h"
#include "extender/service/http/server.h"
#include "extender/service/log/log.h"
#include "extender/service/recheck.h"
#include "extender/version.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kDrain{10};
constexpr std::chrono::seconds kHealthDrain{1};

/// At least 2, so that a slow call does not delay the probes.
unsigned handler_threads() { return std::max(2u, std::thread::hardware_concurrency()); }

/// Blocks the signals that stop or reload the service, in this thread and in those that it starts.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// While it lives, the signals end the process in this thread. For work before anything is served. No
/// thread that lives on may start meanwhile.
class EndedBySignals {
 public:
  EndedBySignals(const sigset_t& signals, bool on) : signals_(signals), on_(on) {
    if (on_) pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }
  ~EndedBySignals() {
    if (on_) pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  EndedBySignals(const EndedBySignals&) = delete;
  EndedBySignals& operator=(const EndedBySignals&) = delete;

 private:
  const sigset_t& signals_;
  const bool on_;
};

/// Raises the limit of open files to the maximum. Each connection is one.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int fail(const std::string& line) {
  log_flush();  // What was logged before comes before.
  stderr_line("winnow serve: " + line);
  return kBadInput;
}

/// Prints the errors of the rules, and the last good configuration that could be served.
int fail(const ConfigSource::Errors& errors, const ServeFlags& flags) {
  for (const std::string& line : errors) fail(line);
  if (const std::string line = last_good_line(flags.last_good_config); !line.empty()) fail(line);
  return kBadInput;
}

/// The file for copies of the configuration. None if --config is that file, as after a failed start.
std::string copy_file(const CommonFlags& common, const ServeFlags& flags) {
  std::error_code none;
  if (flags.last_good_config.empty() ||
      !std::filesystem::equivalent(flags.last_good_config, common.config, none))
    return flags.last_good_config;
  log_warn("--config names the copy of the last good configuration: no other copy is kept",
           {{"file", common.config}});
  return {};
}

/// Makes cache sources from files or from a live cluster. @param recorder  null: nothing is recorded.
ConfigSwitch::MakeCacheSource cache_source_maker(const CommonFlags& common, ApiAccess* source,
                                                 Recorder* recorder) {
  return [&common, source, recorder](
             const State::Options& options,
             WatchedKinds needs) -> std::expected<std::shared_ptr<CacheSource>, std::string> {
    const auto journal = recorder ? recorder->journal_of(options) : nullptr;
    if (source) {
      auto made = std::make_shared<CacheSource>(options, needs, source->shared());
      made->cache().set_journal(journal);
      return made;
    }
    std::function<void(std::string_view)> given;
    if (journal) given = [&](std::string_view json) { journal->given(json); };
    auto cache = cache_from(common, options, given);
    if (!cache) return std::unexpected(std::move(cache).error());
    (*cache)->set_journal(journal);
    return std::make_shared<CacheSource>(std::move(*cache));
  };
}

/// Waits for a signal that ends the service, and reloads the configuration meanwhile. @return the signal's
/// number.
int wait_for_end(const sigset_t& signals, ConfigSwitch& config_switch, Reloader& reloader, TlsFiles* tls) {
  constexpr timespec kTick{1, 0};
  constexpr int kTicksPerLook = 5;
  constexpr int kTicksPerTrim = 30;
  for (int tick = 1;; ++tick) {
    const int signal = sigtimedwait(&signals, nullptr, &kTick);
    if (signal == SIGTERM || signal == SIGINT) return signal;
    if (signal == SIGHUP)
      reloader.reload();
    else if (tick % kTicksPerLook == 0)
      reloader.look();
    if (tls != nullptr && (signal == SIGHUP || tick % kTicksPerLook == 0)) tls->look();
    config_switch.tick();
    if (tick % kTicksPerTrim == 0) give_back_free_memory();
  }
}

/// The certificates of the flags. Null: plain HTTP.
std::expected<std::unique_ptr<TlsFiles>, std::string> open_tls(const TlsFlags& flags) {
  if (flags.cert_file.empty()) return nullptr;
  return TlsFiles::open(flags);
}

/// Additional threads with --enable-bind, since binds wait for API servers. See ExtenderOptions::computing.
constexpr std::size_t kBindThreads = 64;

/// The parts that the options refer to. All outlive the service.
struct Backing {
  ApiAccess* source = nullptr;                ///< Null for a cache from files.
  std::shared_ptr<DecisionLog> decision_log;  ///< Null with --keep-decisions=0.
  Recorder* recorder = nullptr;               ///< Null without --record.
  const DecisionServices& deciders;
  ConfigSwitch& config_switch;
  Metrics& metrics;
  const std::atomic<bool>& stopping;
  std::function<http::Counters()> http_counters;
};

ExtenderOptions options_of(const CommonFlags& common, const ServeFlags& flags, const Backing& backing) {
  ExtenderOptions options{.answer = flags.answer, .scale = common.scale, .seed = common.seed};
  options.failed_nodes = failed_nodes_of(flags, backing.source != nullptr);
  options.tracer = backing.recorder;
  if (backing.recorder) options.drawn = backing.recorder->options().drawn;
  options.preempt_search = flags.preempt_search;
  options.scheduler_filters = flags.scheduler_filters;
  options.not_ready = [&stopping = backing.stopping, &config_switch = backing.config_switch,
                       source = backing.source, &deciders = backing.deciders] {
    if (stopping) return std::string("the service is being stopped");
    std::string why = config_switch.not_ready();
    if (why.empty() && source) why = source->binder().denied();
    return why.empty() ? deciders.denied() : why;
  };
  options.missing_rights = [&config_switch = backing.config_switch] {
    return config_switch.missing_rights();
  };
  options.unusable = [&config_switch = backing.config_switch] { return config_switch.unusable(); };
  options.loopback = live::is_loopback(flags.bind_address);
  options.health_loopback = is_loopback_listener(flags.metrics_bind_address);
  options.assume = backing.source != nullptr;
  options.nominates = backing.deciders.nominates();
  if (backing.source) options.catch_up = flags.catch_up;
  options.decision_log = backing.decision_log;
  options.request_timeout = flags.request_timeout;
  options.shadow = backing.deciders.is_shadow();
  if (backing.deciders.nominates())
    options.why_not_nominated = [&deciders = backing.deciders](std::string_view ns, std::string_view name,
                                                               std::string_view uid) {
      return deciders.why_not_nominated(ns, name, uid);
    };
  options.before_scrape = [&config_switch = backing.config_switch, &deciders = backing.deciders,
                           recorder = backing.recorder, &metrics = backing.metrics] {
    config_switch.before_scrape();
    if (recorder)
      metrics.live().set_recording({.lines = recorder->lines(), .lost_lines = recorder->lost_lines()});
    metrics.live().set_log_lines_dropped(log_lines_dropped());
    deciders.before_scrape();
  };
  options.http_counters = backing.http_counters;
  options.flags = flags.shown;
  if (flags.enable_bind) {
    options.bind = [source = backing.source](const live::Binding& binding,
                                             std::chrono::steady_clock::time_point deadline) {
      return source->binder().bind(binding, deadline, {});  // Never cancelled: a bind is short, and the end
                                                            // of the service waits for it.
    };
    options.computing = handler_threads();
  }
  return options;
}

/// The way to the API servers; null where the cluster comes from files.
std::expected<std::unique_ptr<ApiAccess>, std::string> api_access(const CommonFlags& common,
                                                                  Metrics& metrics) {
  if (!common.cluster.empty()) return nullptr;
  return ApiAccess::make(common, metrics.live());
}

/// Where decisions are kept, told of pods by all cache sources that are made later; null: nowhere.
std::shared_ptr<DecisionLog> decision_log_of(const ServeFlags& flags, ApiAccess* source) {
  if (flags.keep_decisions == 0) return nullptr;
  auto log = std::make_shared<DecisionLog>(flags.keep_decisions);
  if (source) source->handle_pods(*log);
  return log;
}

/// Who may ask by a token; null: nobody.
std::unique_ptr<TokenAccess> token_access_of(const ServeFlags& flags, ApiAccess* source, Metrics& metrics) {
  if (flags.authorization_webhook != AuthorizationWebhook::kApiServer) return nullptr;
  return std::make_unique<TokenAccess>(source->reviewer(), live::system_clock(), metrics.live());
}

/// Takes the first rules into force. A live cluster's threads start here, and a file's bytes may never come.
/// @return the error; "": none.
std::string load_first(ConfigSwitch& config_switch, LoadedRules rules, const sigset_t& signals, bool live) {
  {
    const EndedBySignals while_reading(signals, /*on=*/!live);
    if (const auto loaded = config_switch.load(std::move(rules)); !loaded) return loaded.error();
  }
  give_back_free_memory();  // What the files needed more than the cache.
  return {};
}

/// What happens to rules that come into force. @param recorder  null: nothing is recorded.
std::function<void(const LoadedRules&)> rules_taker(ConfigInForce& in_force, Recorder* recorder) {
  return [&in_force, recorder](const LoadedRules& taken) {
    in_force.taken(taken);
    if (recorder) recorder->on_rules(taken);
  };
}

/// What happens to an active configuration that comes into force. @param first  the one that the service has
/// now.
std::function<void(ActiveConfig)> serving_taker(Extender& service, const ActiveConfig& first,
                                                Recorder* recorder) {
  if (recorder) recorder->on_serving(first);
  return [&service, recorder](ActiveConfig active) {
    if (recorder) recorder->on_serving(active);
    service.replace(std::move(active));
  };
}

/// What a TLS session takes while its handshake goes on. A finished one takes less.
constexpr std::size_t kSessionBytes = 128UL << 10;

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

/// Writes the nomination that wakes a refused pod. @param source  outlives it.
auto nomination_by(ApiAccess* source) {
  return [source](const live::PodIdentity& pod, const std::string& node) {
    return source->pod_patcher().nominate(pod, node, "", live::system_clock().now() + PodWaker::kLongest, {});
  };
}

/// Asks where an assumed pod is. @param source  outlives it.
auto look_up_by(ApiAccess* source) {
  return [source](const AssumedPods::Attempt& pod, const std::stop_token& stop) {
    return source->pod_look_up().look_up(pod.ns, pod.name, pod.uid,
                                         live::system_clock().now() + AssumedCheck::kLongest, stop);
  };
}

/// What looks again beside the calls, at refused pods and at assumed ones: two threads, until it ends.
class SecondLooks {
 public:
  /// @param source  null: the cluster comes from files, and nothing changes. @param wakes  refused pods that
  ///   fit by now are nominated.
  SecondLooks(Extender& service, ApiAccess* source, bool wakes)
      : recheck_(service.refusals(), [&service] { return service.active(); }),
        waker_(nomination_by(source)),
        assumed_check_(service.decisions(), look_up_by(source)) {
    if (!source) return;
    if (wakes) recheck_.wake_by(&waker_);
    rechecking_ = std::jthread([this](const std::stop_token& stop) { recheck_.run(stop); });
    checking_ = std::jthread([this](const std::stop_token& stop) { assumed_check_.run(stop); });
  }

 private:
  Recheck recheck_;
  PodWaker waker_;
  AssumedCheck assumed_check_;
  std::jthread rechecking_, checking_;  // They end first.
};

}  // namespace

int serve(const CommonFlags& common, const ServeFlags& flags) {
  if (const std::string wrong = wrong_serve_flags(common, flags); !wrong.empty()) return fail(wrong);
  const ConfigSource config(common, flags);
  std::string text = config.text();
  std::expected<LoadedRules, ConfigSource::Errors> rules = config.load();
  if (!rules) return fail(rules.error(), flags);
  log_notes(*rules);
  log_rules(*rules);
  const auto tls_files = open_tls(flags.tls);
  if (!tls_files) return fail(tls_files.error());
  TlsFiles* const tls = tls_files->get();

  // After files that may be slow, which a signal ends; and before the first thread starts: a signal would
  // kill the process in a thread that does not block it.
  const sigset_t signals = block_signals();
  const LogThread log_thread;
  Metrics metrics(build_info().version, build_info().revision);
  const auto access = api_access(common, metrics);
  if (!access) return fail(access.error());
  ApiAccess* const source = access->get();
  const auto recorder = open_recorder(common, flags, source != nullptr);
  if (!recorder) return fail(recorder.error());
  const auto decision_log = decision_log_of(flags, source);
  DecisionServices deciders(flags, source, metrics, decision_log);
  Workers workers(std::max(1u, std::thread::hardware_concurrency()) - 1);
  ConfigSwitch config_switch(workers, metrics, cache_source_maker(common, source, recorder->get()),
                             {flags.max_staleness, flags.serve_stale});
  ConfigInForce in_force(copy_file(common, flags));
  config_switch.on_rules(rules_taker(in_force, recorder->get()));
  const std::string wrong_start = load_first(config_switch, std::move(*rules), signals, source != nullptr);
  if (!wrong_start.empty()) return fail(wrong_start);

  std::atomic<bool> stopping = false;
  const auto tokens = token_access_of(flags, source, metrics);
  std::optional<http::Server> server;
  Extender service(config_switch.active(), metrics,
                   options_of(common, flags,
                              {source, decision_log, recorder->get(), deciders, config_switch, metrics,
                               stopping, [&] { return server->counters(); }}));
  config_switch.on_change(serving_taker(service, config_switch.active(), recorder->get()));

  raise_file_limit();
  server.emplace(
      limits_of(flags),
      [&](http::Request& request, http::Response& response) { service.handle(request, response); },
      http::Cost::kRead);
  service.add_routes(*server, Listener::kMain);
  set_door(*server, flags.tls, tls, tokens.get());
  const std::expected<std::uint16_t, std::string> port = server->listen(flags.bind_address, flags.port);
  if (!port) return fail(port.error());
  const auto health = open_health_listener(flags.metrics_bind_address, service);
  if (!health) return fail(health.error());
  server->start();
  if (*health) (*health)->start();
  log_info(
      "serving",
      {{"address", flags.bind_address}, {"port", std::to_string(*port)}, {"version", build_info().version}});

  // A nominator looks at waiting pods itself, and a shadow writes nothing.
  const SecondLooks looks(service, source, !flags.nominate.nominate && !flags.shadow.shadow);
  deciders.start(service, config_switch);
  Reloader reloader(config, config_switch, in_force, metrics.live(), std::move(text));
  const int signal = wait_for_end(signals, config_switch, reloader, tls);
  log_info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  stopping = true;
  deciders.stop();
  std::this_thread::sleep_for(flags.shutdown_delay);
  server->stop(kDrain);
  if (*health) (*health)->stop(kHealthDrain);
  return kDone;
}

}  // namespace winnow
