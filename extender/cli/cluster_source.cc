#include "extender/cli/cluster_source.h"

#include <algorithm>
#include <thread>

#include "cluster/feed/load.h"
#include "cluster/feed/source.h"
#include "extender/cli/live_source.h"
#include "extender/config/needed.h"
#include "extender/live/site.h"
#include "extender/log/log.h"

namespace winnow {

std::expected<LoadedRules, std::string> rules_from(const CommonFlags& flags) {
  const std::expected<Gates, std::string> gates = parse_gates(flags.feature_gates);
  if (!gates) return std::unexpected("--feature-gates: " + gates.error());
  if (flags.config.empty()) {
    if (auto error = foreign_gate(*gates, Generation::kClassic)) return std::unexpected(std::move(*error));
    return default_rules(*gates);
  }
  const std::expected<std::string, std::string> text = read_source(flags.config);
  if (!text) return std::unexpected(flags.config + ": " + text.error());
  return load_rules(flags.config, *text, *gates);
}

void log_notes(const LoadedRules& rules) {
  for (const std::string& note : rules.notes) log_info("configuration", {{"note", note}});
  for (const std::string& warning : rules.warnings) log_warn("configuration", {{"warning", warning}});
}

namespace {

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

}  // namespace

void log_rules(const LoadedRules& loaded) {
  for (const RuleSet& rules : loaded.sets)
    log_info("rules", {{"schedulerName", rules.scheduler_name.empty() ? "(any)" : rules.scheduler_name},
                       {"predicates", predicate_list(rules)},
                       {"priorities", priority_list(rules)}});
}

namespace {

/// Without its claims a pod that has some fits nowhere: most likely they were left out of the dump.
void warn_of_claims(const ClusterObjects& objects) {
  if (!objects.persistent_volume_claims.empty()) return;
  const auto names_claim = [](const Pod& pod) {
    return std::ranges::contains(pod.spec.volumes, VolumeSource::kPersistentVolumeClaim, &Volume::source);
  };
  if (const auto pods = std::ranges::count_if(objects.pods, names_claim); pods > 0)
    log_warn("pods have claims, and the files hold no PersistentVolumeClaim: those pods will fit nowhere",
             {{"pods", pods}});
}

/// A cluster that is watched only until its picture is whole.
struct Glance {
  Metrics metrics{"", "", {}};
  std::unique_ptr<LiveSource> source;
  std::optional<Site> site;
};

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::milliseconds kGlance{20};

std::expected<std::shared_ptr<Picture>, std::string> glance_at(const CommonFlags& flags,
                                                               const LoadedRules& rules) {
  auto glance = std::make_shared<Glance>();
  auto source = LiveSource::make(flags, glance->metrics.live());
  if (!source) return std::unexpected(std::move(source).error());
  glance->source = std::move(*source);
  Site& site = glance->site.emplace(state_options(rules), needed(rules.sets), glance->source->means());
  site.start();
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!site.incomplete().empty()) {
    if (std::string denied = site.denied(); !denied.empty()) return std::unexpected(std::move(denied));
    if (std::chrono::steady_clock::now() > until) return std::unexpected(site.incomplete());
    std::this_thread::sleep_for(kGlance);
  }
  return std::shared_ptr<Picture>(glance, &site.picture());
}

}  // namespace

std::string no_cluster_error() {
  return "no cluster: give --cluster FILE..., or --kubeconfig FILE (or --master URL), or run in a pod, which "
         "has a "
         "service account";
}

std::expected<std::unique_ptr<Picture>, std::string> picture_from(const CommonFlags& flags,
                                                                  const State::Options& options) {
  std::expected<ClusterObjects, FeedError> objects = read_cluster(flags.cluster);
  if (!objects) return std::unexpected(objects.error().message);
  for (const auto& [kind, count] : objects->skipped)
    log_info("kind not used", {{"kind", kind}, {"objects", count}});
  warn_of_claims(*objects);
  const std::size_t finished = objects->finished_pods;
  auto picture = std::make_unique<Picture>(options);
  picture->write([&](State& state) { load(state, std::move(*objects)); });
  const Picture::Reader state = picture->read();
  if (log_enabled(1))
    log_info("cluster read", {{"nodes", state->node_count()},
                              {"pods", state->pod_count()},
                              {"pending", state->pending_count()},
                              {"finished", finished}});
  return picture;
}

std::expected<std::shared_ptr<Picture>, std::string> snapshot_from(const CommonFlags& flags,
                                                                   const LoadedRules& rules) {
  if (!flags.cluster.empty()) return picture_from(flags, state_options(rules));
  if (!names_live_cluster(flags)) return std::unexpected(no_cluster_error());
  return glance_at(flags, rules);
}

}  // namespace winnow
