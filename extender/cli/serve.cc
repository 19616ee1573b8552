#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <thread>

#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/http/server.h"
#include "extender/log/log.h"
#include "extender/service/extender.h"
#include "extender/version.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kDrain{10};

/// Below 2 a slow call would hold up the probes.
unsigned handler_threads() { return std::max(2u, std::thread::hardware_concurrency()); }

/// Blocks the signals that end the service, in this thread and in those that it starts.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// As many files as the machine lets us have: a connection is a file.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string priority_list(const RuleSet& rules) {
  std::string list;
  for (const ConfiguredPriority& rule : rules.priorities)
    list += (list.empty() ? "" : ",") + rule.name + '=' + std::to_string(rule.weight);
  return list;
}

std::string predicate_list(const RuleSet& rules) {
  std::string list;
  for (const ConfiguredPredicate& rule : rules.predicates) list += (list.empty() ? "" : ",") + rule.name;
  return list;
}

/// What is asked of which pods: a line for each profile, or one for all pods.
void log_rules(const std::vector<RuleSet>& sets) {
  for (const RuleSet& rules : sets)
    log_info("rules", {{"schedulerName", rules.scheduler_name.empty() ? "(any)" : rules.scheduler_name},
                       {"predicates", predicate_list(rules)},
                       {"priorities", priority_list(rules)}});
}

int fail(const std::string& line) {
  std::cerr << "winnow serve: " << line << '\n';
  return kBadInput;
}

}  // namespace

int serve(const CommonFlags& common, const ServeFlags& flags) {
  // Before the first thread: one that does not block them would be ended by them.
  const sigset_t signals = block_signals();
  const std::expected<LoadedRules, std::string> rules = rules_from(common);
  if (!rules) return fail(rules.error());
  log_notes(*rules);
  const auto picture = picture_from(common, rules->sets.front());
  if (!picture) return fail(picture.error());

  Workers workers(std::max(1u, std::thread::hardware_concurrency()) - 1);
  const Engines engines(rules->sets, workers);
  Metrics metrics(build_info().version, build_info().revision, engines.predicate_names());
  std::atomic<bool> ready = true;
  std::optional<http::Server> server;
  Extender service(**picture, engines, metrics,
                   {.answer = flags.answer,
                    .scale = common.scale,
                    .seed = common.seed,
                    .ready = [&] { return ready.load(); },
                    .http_counters = [&] { return server->counters(); }});

  http::Limits limits;
  limits.workers = handler_threads();
  raise_file_limit();
  server.emplace(
      limits, [&](http::Request& request, http::Response& response) { service.handle(request, response); });
  const std::expected<std::uint16_t, std::string> port = server->listen(flags.bind_address, flags.port);
  if (!port) return fail(port.error());
  server->start();
  log_rules(rules->sets);
  log_info(
      "serving",
      {{"address", flags.bind_address}, {"port", std::to_string(*port)}, {"version", build_info().version}});

  int signal = 0;
  sigwait(&signals, &signal);
  log_info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  ready = false;
  server->stop(kDrain);
  return kDone;
}

}  // namespace winnow
