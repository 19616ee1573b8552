// The command `winnow serve`: serve(), at the end, is the whole of it in order.
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "cluster/client/access/server_url.h"
#include "cluster/memory_budget.h"
#include "extender/cli/api_access.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/serve/config_source.h"
#include "extender/cli/serve/listener_security.h"
#include "extender/cli/serve/node_metrics_service.h"
#include "extender/cli/serve/nominator_service.h"
#include "extender/engine/workers.h"
#include "extender/service/authorization/pod_sight.h"
#include "extender/service/authorization/token_access.h"
#include "extender/service/config_switch.h"
#include "extender/service/extender.h"
#include "extender/service/http/server.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/profiler.h"
#include "extender/version.h"
#include "extender/what_if/record/recorder.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kDrain{10};
constexpr std::chrono::seconds kHealthDrain{1};

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

int fail_serve(const std::string& line) {
  log_flush();  // What was logged before comes before.
  stderr_line("winnow serve: " + line);
  return kBadInput;
}

/// Prints the errors of the rules, and the last good configuration that could be served.
int fail_serve(const ConfigSource::Errors& errors, const ServeFlags& flags) {
  for (const std::string& line : errors) fail_serve(line);
  if (const std::string line = last_good_line(flags.last_good_config); !line.empty()) fail_serve(line);
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

/// The certificates of the flags. Null: plain HTTP.
std::expected<std::unique_ptr<TlsFiles>, std::string> open_tls(const TlsFlags& flags) {
  if (flags.cert_file.empty()) return nullptr;
  return TlsFiles::open(flags);
}

/// The way to the API servers; null where the cluster comes from files.
std::expected<std::unique_ptr<ApiAccess>, std::string> api_access(const CommonFlags& common,
                                                                  Metrics& metrics) {
  if (!common.cluster.empty()) return nullptr;
  return ApiAccess::make(common, metrics.live());
}

/// Where decisions are kept, told of pods by all cache sources that are made later; null: nowhere.
std::shared_ptr<DecisionLog> decision_log_of(const ServeFlags& flags, ApiAccess* access) {
  if (flags.keep_decisions == 0) return nullptr;
  auto log = std::make_shared<DecisionLog>(flags.keep_decisions);
  if (access) access->handle_pods(*log);
  return log;
}

/// Who may ask by a token; null: nobody.
std::unique_ptr<TokenAccess> token_access_of(const ServeFlags& flags, ApiAccess* access, Metrics& metrics) {
  if (flags.authorization_webhook != AuthorizationWebhook::kApiServer) return nullptr;
  return std::make_unique<TokenAccess>(access->reviewer(), live::system_clock(), metrics.live());
}

/// Makes cache sources from files or from a live cluster.
class SourcesOfFlags : public CacheSources {
 public:
  /// All arguments outlive this. @param access  null: from files. @param recorder  null: nothing is recorded.
  SourcesOfFlags(const CommonFlags& common, ApiAccess* access, Recorder* recorder)
      : common_(common), access_(access), recorder_(recorder) {}

  std::expected<std::shared_ptr<CacheSource>, std::string> make(const State::Options& options,
                                                                WatchedKinds needs) override;

 private:
  const CommonFlags& common_;
  ApiAccess* const access_;
  Recorder* const recorder_;
};

std::expected<std::shared_ptr<CacheSource>, std::string> SourcesOfFlags::make(const State::Options& options,
                                                                              WatchedKinds needs) {
  const auto journal = recorder_ ? recorder_->journal_of(options) : nullptr;
  if (access_) {
    auto made = std::make_shared<CacheSource>(options, needs, access_->shared());
    made->cache().set_journal(journal);
    return made;
  }
  const auto given = [&](std::string_view json) { journal->given(json); };
  auto cache = cache_from(common_, options, journal ? OnObject(given) : nullptr);
  if (!cache) return std::unexpected(std::move(cache).error());
  if (const std::string none = lacks_nodes(common_, *(*cache)->read()); !none.empty())
    log_warn("no pod fits anywhere", {{"message", none}});
  (*cache)->set_journal(journal);
  return std::make_shared<CacheSource>(std::move(*cache));
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

/// What the process does for the service.
class ServeServices : public ClusterServices {
 public:
  /// The parts that are asked. All outlive the service.
  struct Parts {
    ApiAccess* access = nullptr;                       ///< Null for a cache from files.
    Recorder* recorder = nullptr;                      ///< Null without --record.
    const TlsFiles* tls = nullptr;                     ///< Null: plain HTTP.
    const NodeMetricsService* node_metrics = nullptr;  ///< Null: nobody measures nodes.
    DecisionServices& deciders;
    const ConfigSwitch& config_switch;
    Metrics& metrics;
    bool binds = false;  ///< --enable-bind.
  };
  explicit ServeServices(const Parts& parts) : parts_(parts) {}

  /// From now on the service is not ready.
  void stop() { stopping_ = true; }

  std::string not_ready() const override;
  std::string missing_rights() const override;
  std::vector<ReadyItem> ready_items() const override;
  std::string unusable() const override { return parts_.config_switch.unusable(); }
  std::string why_not_nominated(std::string_view ns, std::string_view name,
                                std::string_view uid) const override {
    return parts_.deciders.why_not_nominated(ns, name, uid);
  }
  void nominate_refused(const Pod& pod, bool by_eviction) override {
    parts_.deciders.nominate_refused(pod, by_eviction);
  }
  void on_preempts(const Pod& pod) override { parts_.deciders.on_preempts(pod); }
  live::BindResult bind(const live::Binding& binding,
                        std::chrono::steady_clock::time_point deadline) override;
  void before_scrape() override;

 private:
  const Parts parts_;
  std::atomic<bool> stopping_ = false;
};

std::string ServeServices::not_ready() const {
  if (stopping_) return "the service is being stopped";
  std::string why = parts_.config_switch.not_ready();
  if (why.empty() && parts_.access) why = parts_.access->binder().denied();
  return why.empty() ? parts_.deciders.denied() : why;
}

std::string ServeServices::missing_rights() const {
  std::string missing = parts_.config_switch.missing_rights();
  const std::string without = parts_.deciders.done_without();
  if (!missing.empty() && !without.empty()) missing += "; ";
  return missing + without;
}

std::vector<ReadyItem> ServeServices::ready_items() const {
  const auto item = [](std::string name, bool on, std::string why = "") {
    const auto state = !on           ? ReadyItem::State::kOff
                       : why.empty() ? ReadyItem::State::kOn
                                     : ReadyItem::State::kDegraded;
    return ReadyItem{.name = std::move(name), .state = state, .why = std::move(why)};
  };
  std::string cache = parts_.config_switch.not_ready();
  if (cache.empty()) cache = parts_.config_switch.missing_rights();
  const DecisionServices& deciders = parts_.deciders;
  std::vector<ReadyItem> items{
      item("cache", true, std::move(cache)),
      item("bind", parts_.binds, parts_.access ? parts_.access->binder().denied() : ""),
      item("nominate", deciders.nominates(), deciders.denied()),
      item("nominate-refused", deciders.nominates_refused(), deciders.done_without()),
      item("shadow", deciders.is_shadow()),
      item("record", parts_.recorder != nullptr)};
  if (parts_.node_metrics == nullptr) {
    items.push_back(item("node-metrics", false));
    return items;
  }
  for (ReadyItem& one : parts_.node_metrics->ready_items()) items.push_back(std::move(one));
  return items;
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
  if (parts_.tls != nullptr)
    if (const auto end = parts_.tls->current()->certificate_end())
      metrics.set_serving_certificate_end(static_cast<double>(end->time_since_epoch().count()));
  if (parts_.node_metrics != nullptr) parts_.node_metrics->before_scrape(metrics);
  parts_.deciders.before_scrape();
}

http::Handler handler_of(Extender& service) {
  return [&service](http::Request& request, http::Response& response) { service.handle(request, response); };
}

/// At least 2, so that a slow call does not delay the probes.
unsigned handler_threads() { return std::max(2u, std::thread::hardware_concurrency()); }

/// Additional threads with --enable-bind, since binds wait for API servers. See ExtenderOptions::computing.
constexpr std::size_t kBindThreads = 64;

/// What a TLS session takes while its handshake goes on. A finished one takes less.
constexpr std::size_t kSessionBytes = 128UL << 10;

/// The limits of the listener for calls.
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

/// The settings of the service. @param live  whether the cache is a live cluster's.
ExtenderOptions options_of(const CommonFlags& common, const ServeFlags& flags, const Recorder* recorder,
                           bool live) {
  ExtenderOptions options{.answer = flags.answer, .scale = common.scale, .seed = common.seed};
  options.failed_nodes = failed_nodes_of(flags, live);
  if (recorder) options.drawn = recorder->options().drawn;
  options.preempt_search = flags.preempt_search;
  options.scheduler_filters = flags.scheduler_filters;
  options.path_prefix = flags.path_prefix;
  options.loopback = live::is_loopback(flags.bind_address);
  options.health_loopback = is_loopback_listener(flags.metrics_bind_address);
  options.assume = live;
  options.binds = flags.enable_bind;
  options.nominates = live && flags.nominate.nominate;
  options.nominates_refused = nominates_refused(flags, live);
  options.shadow = live && flags.shadow.shadow;
  if (live) options.catch_up = flags.catch_up;
  options.request_timeout = flags.request_timeout;
  options.flags = flags.shown;
  // As it is in force: its default hangs on --answer, and a Winnow that nominates does it anyhow.
  options.flags["nominate-refused"] = options.nominates_refused || options.nominates ? "true" : "false";
  if (flags.enable_bind) options.computing = handler_threads();
  return options;
}

/// Opens the listener for calls. @param tls, tokens  null: there are none. @return its port, or the error.
std::expected<std::uint16_t, std::string> open_listener(http::Server& server, const ServeFlags& flags,
                                                        Extender& service, const TlsFiles* tls,
                                                        TokenAccess* tokens) {
  service.add_routes(server, Listener::kMain);
  set_door(server, flags.tls, tls, tokens);
  return server.listen(flags.bind_address, flags.port);
}

/// @param health  null: there is no such listener.
void start(http::Server& server, http::Server* health, const ServeFlags& flags, std::uint16_t port) {
  server.start();
  if (health) health->start();
  log_info(
      "serving",
      {{"address", flags.bind_address}, {"port", std::to_string(port)}, {"version", build_info().version}});
}

/// Ends all that serves, in the reverse order. Calls are answered until the drain.
void stop(int signal, const ServeFlags& flags, ServeServices& services, DecisionServices& deciders,
          Profiler& profiler, http::Server& server, http::Server* health) {
  log_info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  services.stop();
  deciders.stop();
  profiler.stop();
  std::this_thread::sleep_for(flags.shutdown_delay);
  server.stop(kDrain);
  if (health) health->stop(kHealthDrain);
}

/// What is wrong with the flags, in one line; "": nothing.
std::string wrong_start(const CommonFlags& common, const ServeFlags& flags) {
  if (std::string wrong = wrong_serve_flags(common, flags); !wrong.empty()) return wrong;
  if (flags.enable_profiling && !Profiler::is_built_in())
    return "--enable-profiling: this program is built without the sampler";
  return {};
}

}  // namespace

int serve(const CommonFlags& common, const ServeFlags& flags) {
  // What a user may have got wrong. Files may be slow, which a signal ends.
  if (const std::string wrong = wrong_start(common, flags); !wrong.empty()) return fail_serve(wrong);
  const ConfigSource config(common, flags);
  auto rules = config.load(config.read());
  if (!rules) return fail_serve(rules.error(), flags);
  std::string text = rules->text;
  log_notes(*rules);
  log_rules(*rules);
  const auto tls = open_tls(flags.tls);
  if (!tls) return fail_serve(tls.error());

  // Before the first thread starts: a signal would kill the process in a thread that does not block it.
  const sigset_t signals = block_signals();
  const LogThread log_thread;
  Metrics metrics(build_info().version, build_info().revision);

  // The way to the cluster, and who is told of its pods: before the first watch begins.
  const auto access = api_access(common, metrics);
  if (!access) return fail_serve(access.error());
  const bool live = *access != nullptr;
  const auto recorder = open_recorder(common, flags, live);
  if (!recorder) return fail_serve(recorder.error());
  const auto decision_log = decision_log_of(flags, access->get());
  DecisionServices deciders(flags, access->get(), metrics, decision_log);
  const auto node_metrics = NodeMetricsService::make(flags.node_metrics, access->get());
  if (!node_metrics) return fail_serve(node_metrics.error());

  // The rules and their cache. Files are read here; reflectors start.
  Workers workers(std::max(1u, std::thread::hardware_concurrency()) - 1);
  SourcesOfFlags sources(common, access->get(), recorder->get());
  ConfigInForce in_force(copy_file(common, flags));
  TakenConfig taken(in_force, recorder->get());
  ConfigSwitch config_switch(workers, metrics, sources, {flags.max_staleness, flags.serve_stale, flags.reuse},
                             &taken);
  if (const std::string wrong = load_first(config_switch, std::move(*rules), signals, live); !wrong.empty())
    return fail_serve(wrong);

  // Who may ask, and what they are told.
  const auto tokens = token_access_of(flags, access->get(), metrics);
  const auto sight = tokens ? std::make_unique<PodSight>(*tokens, flags.tls.anonymous_paths) : nullptr;

  // The service.
  ServeServices services({access->get(), recorder->get(), tls->get(), node_metrics->get(), deciders,
                          config_switch, metrics, flags.enable_bind});
  Profiler profiler;
  Extender service(config_switch.active(), metrics, options_of(common, flags, recorder->get(), live),
                   {.cluster = &services,
                    .decision_log = decision_log,
                    .tracer = recorder->get(),
                    .profiler = flags.enable_profiling ? &profiler : nullptr,
                    .sight = sight.get()});
  taken.serve_by(service);

  // Its listeners.
  raise_file_limit();
  http::Server server(limits_of(flags), handler_of(service), http::Cost::kRead);
  const auto port = open_listener(server, flags, service, tls->get(), tokens.get());
  if (!port) return fail_serve(port.error());
  const auto health = open_health_listener(flags.metrics_bind_address, service);
  if (!health) return fail_serve(health.error());
  start(server, health->get(), flags, *port);

  // What goes on beside the calls. A nominator looks at waiting pods itself, and a shadow writes nothing.
  const SecondLooks looks(service, access->get(), !flags.nominate.nominate && !flags.shadow.shadow);
  deciders.start(service, config_switch);
  Reloader reloader(config, config_switch, in_force, metrics.live(), std::move(text));
  const int signal = wait_for_end(signals, config_switch, reloader, tls->get());
  stop(signal, flags, services, deciders, profiler, server, health->get());
  return kDone;
}

}  // namespace winnow
