#include "extender/cli/cluster_source.h"

#include <algorithm>
#include <format>
#include <future>
#include <ranges>
#include <string_view>
#include <thread>

#include "cluster/client/metrics/metrics_provider.h"
#include "cluster/files/cluster_file.h"
#include "cluster/files/object_reader.h"
#include "cluster/text/source.h"
#include "extender/cli/api_access.h"
#include "extender/cli/flags/flags.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/service/config_switch.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/metrics.h"

namespace winnow {

ReadText read_config(const CommonFlags& flags) {
  if (names_rules(flags.config)) return "";
  auto text = read_source(flags.config, kMaxConfigBytes);
  if (!text) return std::unexpected(flags.config + ": " + text.error());
  return text;
}

std::expected<LoadedRules, std::string> rules_of(const CommonFlags& flags, const ReadText& text) {
  const std::expected<Gates, std::string> gates = parse_gates(flags.feature_gates);
  if (!gates) return std::unexpected("--feature-gates: " + gates.error());
  if (names_rules(flags.config)) return named_rules(flags.config, *gates);
  if (!text) return std::unexpected(text.error());
  return load_rules(flags.config, *text, *gates);
}

std::expected<LoadedRules, std::string> rules_from(const CommonFlags& flags) {
  return rules_of(flags, read_config(flags));
}

void log_notes(const LoadedRules& rules) {
  /// A file with more of either has a mistake that repeats.
  constexpr std::size_t kMost = 20;
  for (const std::string& note : rules.notes | std::views::take(kMost))
    log_info("configuration", {{"note", note}});
  if (rules.notes.size() > kMost)
    log_info("configuration: more notes are left out", {{"notes", rules.notes.size() - kMost}});
  for (const std::string& warning : rules.warnings | std::views::take(kMost))
    log_warn("configuration", {{"warning", warning}});
  if (rules.warnings.size() > kMost)
    log_warn("configuration: more warnings are left out", {{"warnings", rules.warnings.size() - kMost}});
}

namespace {

/// The names, with a comma between them. @param text  of one rule.
template <class Rule, class Text>
std::string list_of(const std::vector<Rule>& rules, const Text& text) {
  constexpr std::size_t kMost = 100;  // All rules that there are, and some of one's own.
  std::string list;
  for (const Rule& rule : rules | std::views::take(kMost)) list += (list.empty() ? "" : ",") + text(rule);
  return rules.size() <= kMost ? list : std::format("{},… and {} more", list, rules.size() - kMost);
}

std::string priority_list(const RuleSet& rules) {
  return list_of(rules.priorities, [](const ConfiguredPriority& rule) {
    return rule.name + '=' + std::to_string(rule.weight);
  });
}

std::string predicate_list(const RuleSet& rules) {
  return list_of(rules.predicates, [](const ConfiguredPredicate& rule) { return rule.name; });
}

}  // namespace

void log_rules(const LoadedRules& loaded) {
  for (const RuleSet& rules : loaded.sets)
    log_info("rules", {{"source", rules.source},
                       {"schedulerName", rules.scheduler_name.empty() ? "(any)" : rules.scheduler_name},
                       {"predicates", predicate_list(rules)},
                       {"priorities", priority_list(rules)}});
}

namespace {

/// Warns of pods whose claims are missing in the files, most likely because they were not dumped. Such pods
/// fit nowhere.
void warn_of_claims(const ClusterObjects& objects) {
  if (!objects.of<PersistentVolumeClaim>().empty()) return;
  const auto names_claim = [](const Pod& pod) {
    return std::ranges::contains(pod.spec.volumes, VolumeSource::kPersistentVolumeClaim, &Volume::source);
  };
  if (const auto pods = std::ranges::count_if(objects.of<Pod>(), names_claim); pods > 0)
    log_warn("pods have claims, and the files hold no PersistentVolumeClaim: those pods will fit nowhere",
             {{"pods", pods}});
}

/// The same of devices, which claims and resources of DeviceClasses need.
void warn_of_devices(const ClusterObjects& objects) {
  if (!objects.of<ResourceSlice>().empty()) return;
  if (const auto pods = std::ranges::count_if(
          objects.of<Pod>(), [](const Pod& pod) { return !pod.spec.resource_claims.empty(); });
      pods > 0)
    log_warn("pods have resource claims, and the files hold no ResourceSlice: those pods will fit nowhere",
             {{"pods", pods}});
  else if (!objects.of<DeviceClass>().empty())
    log_warn(
        "the files hold DeviceClasses, and no ResourceSlice: pods that need their devices will fit nowhere",
        {{"classes", objects.of<DeviceClass>().size()}});
}

/// Warns of objects that hide each other, as when dumps of two clusters are given.
void warn_of_repeated(const ClusterObjects& objects) {
  if (objects.repeated > 0)
    log_warn("objects are given more than once: the last one counts",
             {{"objects", objects.repeated}, {"first", objects.first_repeated}});
  if (objects.shared_uids > 0)
    log_warn("pods have the UID of another pod: expected one pod for a UID",
             {{"pods", objects.shared_uids}, {"first", objects.first_shared_uid}});
}

/// The parts of a watch that runs until the command exits. The cache's owner is a pointer to all of them.
struct BriefWatch {
  Metrics metrics{"", ""};
  std::unique_ptr<ApiAccess> source;
  std::optional<CacheSource> cache_source;
};

constexpr std::chrono::seconds kCallDeadline{60};
constexpr std::chrono::milliseconds kPollInterval{20};

/// Asks the API servers once how much of nodes is used, and when it was measured does not matter. Without an
/// answer no expression knows it.
void measure_nodes(ApiAccess& servers, ClusterCache& cache) {
  const live::Polled polled = servers.make_metrics_server()->poll({});
  if (!polled.error.empty())
    log_warn("nodes are not measured: expressions do not know their usage", {{"error", polled.error}});
  cache.write([&](State& state) {
    for (const auto& [node, usage] : polled.usage) {
      NodeMetrics measured;
      measured.metadata.name = node;
      measured.usage = usage;
      ObjectWriter<NodeMetrics>::set(state, std::move(measured));
    }
  });
}

}  // namespace

namespace {

std::expected<std::shared_ptr<ClusterCache>, std::string> watched_snapshot(const CommonFlags& flags,
                                                                           const State::Options& options,
                                                                           WatchedKinds needs) {
  auto brief = std::make_shared<BriefWatch>();
  auto source = ApiAccess::make(flags, brief->metrics.live());
  if (!source) return std::unexpected(std::move(source).error());
  brief->source = std::move(*source);
  CacheSource& cache_source = brief->cache_source.emplace(options, needs, brief->source->shared());
  cache_source.start();
  const auto until = std::chrono::steady_clock::now() + kCallDeadline;
  while (!cache_source.incomplete().empty()) {
    if (std::string denied = cache_source.denied(); !denied.empty())
      return std::unexpected(std::move(denied));
    if (std::chrono::steady_clock::now() > until) return std::unexpected(cache_source.incomplete());
    std::this_thread::sleep_for(kPollInterval);
  }
  if (const std::string missing = cache_source.missing_rights(); !missing.empty())
    log_warn("the cluster is not read whole", {{"message", missing}});
  if (options.node_load) measure_nodes(*brief->source, cache_source.cache());
  return std::shared_ptr<ClusterCache>(brief, &cache_source.cache());
}

}  // namespace

std::expected<std::shared_ptr<ClusterCache>, std::string> live_snapshot(const CommonFlags& flags,
                                                                        const LoadedRules& rules,
                                                                        WatchedKinds needs) {
  return watched_snapshot(flags, state_options(rules), needs);
}

std::string lacks_nodes(const CommonFlags& flags, const State& state) {
  if (flags.cluster.empty() || state.node_count() > 0) return "";
  return std::format(
      "{}: the dump has no Node: add nodes to the command, as in 'kubectl get nodes,pods -A -o json'",
      flags.cluster.front());
}

bool lacks_pods(const CommonFlags& flags, const State& state) {
  return !flags.cluster.empty() && state.pod_count() == 0;
}

void warn_of_fields(const FileWarnings& warnings) {
  for (const std::string& line : warnings.lines)
    log_warn("a file is read otherwise than meant", {{"what", line}});
  if (warnings.more > 0) log_warn("more such lines are left out", {{"lines", warnings.more}});
}

void warn_of_refused(const ClusterObjects::Refused& refused) {
  for (const std::string& line : refused.lines)
    log_warn("an API server would refuse an object, which is judged as it is", {{"object", line}});
  if (refused.fields > refused.lines.size())
    log_warn("an API server would refuse more fields",
             {{"objects", refused.pods}, {"fields", refused.fields}});
}

std::expected<std::vector<std::unique_ptr<ClusterCache>>, std::string> caches_from(
    const CommonFlags& flags, std::span<const State::Options> options, const OnObject& on_object) {
  // glibc gives a thread a heap of its own. The objects, several times the cache, are in that one, and it
  // goes back to the system as a whole.
  auto reading = std::async(std::launch::async, [&] { return read_cluster(flags.cluster, on_object); });
  std::expected<ClusterObjects, FileError> objects = reading.get();
  if (!objects) return std::unexpected(objects.error().message);
  // They are no mistake: a dump of all has them, and DaemonSets are known by their pods.
  for (const auto& [kind, count] : objects->skipped)
    if (log_enabled(1)) log_info("kind not used", {{"kind", kind}, {"objects", count}});
  warn_of_claims(*objects);
  warn_of_devices(*objects);
  warn_of_repeated(*objects);
  warn_of_fields(objects->warnings);
  warn_of_refused(objects->refused);
  const std::size_t finished = objects->finished_pods;
  std::vector<std::unique_ptr<ClusterCache>> caches;
  for (const State::Options& one : options) {
    caches.push_back(std::make_unique<ClusterCache>(one));
    caches.back()->write([&](State& state) { load(state, *objects); });
  }
  const ClusterCache::ReadGuard state = caches.front()->read();
  if (log_enabled(1))
    log_info("cluster read", {{"nodes", state->node_count()},
                              {"pods", state->pod_count()},
                              {"pending", state->pending_count()},
                              {"finished", finished}});
  return caches;
}

std::expected<std::unique_ptr<ClusterCache>, std::string> cache_from(const CommonFlags& flags,
                                                                     const State::Options& options,
                                                                     const OnObject& on_object) {
  auto caches = caches_from(flags, std::span(&options, 1), on_object);
  if (!caches) return std::unexpected(std::move(caches).error());
  return std::move(caches->front());
}

std::expected<std::shared_ptr<ClusterCache>, std::string> snapshot_from(const CommonFlags& flags,
                                                                        const State::Options& options,
                                                                        WatchedKinds needs) {
  if (!flags.cluster.empty()) return cache_from(flags, options);
  if (!names_live_cluster(flags)) return std::unexpected(no_cluster_error());
  return watched_snapshot(flags, options, needs);
}

std::expected<std::shared_ptr<ClusterCache>, std::string> snapshot_from(const CommonFlags& flags,
                                                                        const LoadedRules& rules,
                                                                        WatchedKinds more) {
  return snapshot_from(flags, state_options(rules), needed(rules.sets) | more);
}

}  // namespace winnow
