#include "extender/service/config_switch.h"

#include <algorithm>
#include <exception>
#include <format>

#include "cluster/client/watch/reflector_status.h"
#include "cluster/state/assumed_pods.h"
#include "extender/config/rules.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"

namespace winnow {

bool CacheSource::serves(const State::Options& options, WatchedKinds needs) const {
  return cache_->read()->options() == options && (!cluster_ || cluster_->needs() == needs);
}

std::string CacheSource::incomplete() const {
  if (!cluster_) return {};
  std::string names;
  for (const std::string& name : cluster_->not_synced()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "" : "the picture of the cluster is not complete yet: waiting for " + names;
}

std::string CacheSource::stale(std::chrono::milliseconds limit) const {
  if (!cluster_) return {};
  const live::LiveCluster::Silence silence = cluster_->longest_silence();
  if (silence.lasting <= limit) return {};
  return std::format("the picture of the cluster is stale: no API server has had a word about {} for {}s",
                     silence.resource,
                     std::chrono::duration_cast<std::chrono::seconds>(silence.lasting).count());
}

// A replaced cache source is kept for a while, because calls may still use its cache. To destroy a source
// is to wait for its threads, and that must happen on the thread of tick(), not in a call.

namespace {

/// Longer than any call. A call that released the last pointer to a source would have to wait for the
/// source's threads.
constexpr std::chrono::seconds kAfterlife{15};
constexpr std::chrono::seconds kAssumedForLong{60};
constexpr std::chrono::seconds kTellOfWaiting{60};

void tell_of_overdue(ClusterCache& cache, AssumedPods::Time now) {
  if (cache.read().assumed().oldest(now) < kAssumedForLong) return;
  std::vector<AssumedPods::Entry> overdue;
  cache.write_pods([&](AssumedPods& pods) { overdue = pods.overdue(now, kAssumedForLong); });
  // Logged after the write: the log may block, and with it every call that needs the lock.
  for (const AssumedPods::Entry& entry : overdue)
    log_warn("pod assumed for long, and no watch has shown it",
             {{"pod", entry.ns + '/' + entry.name}, {"node", entry.node}});
}

/// The time up to which the watch has reported pods; now for a fixed cache.
AssumedPods::Time heard_of_pods(const CacheSource& cache_source, AssumedPods::Time now) {
  if (!cache_source.cluster()) return now;
  for (const auto& [resource, status] : cache_source.cluster()->statuses())
    if (resource.name == "pods") return status.last_word;
  return now;
}

void settle_doubts(CacheSource& cache_source, AssumedPods::Time now) {
  if (!cache_source.cache().read().assumed().has_doubts()) return;
  const AssumedPods::Time heard = heard_of_pods(cache_source, now);
  cache_source.cache().write_pods([&](AssumedPods& pods) { pods.settle_doubts(heard); });
}

}  // namespace

std::expected<ConfigSwitch::Loaded, std::string> ConfigSwitch::load(LoadedRules loaded) {
  const State::Options options = state_options(loaded);
  const WatchedKinds needs = needed(loaded.sets) | needs::kClasses;
  auto rules = std::make_shared<const Rules>(std::move(loaded), workers_, options_.reuse);
  const std::shared_ptr<CacheSource> current = cache_source();
  if (current && current->serves(options, needs)) {
    next_.reset();
    take({std::move(rules), current});
    return Loaded::kTaken;
  }
  auto made = sources_.make(options, needs);
  if (!made) return std::unexpected(std::move(made).error());
  (*made)->start();
  Pair pair{std::move(rules), std::move(*made)};
  if (!current || pair.cache_source->incomplete().empty()) {
    next_.reset();
    take(std::move(pair));
    return Loaded::kTaken;
  }
  log_info("the new rules read other kinds of objects: they wait until these are listed");
  next_ = std::move(pair);
  told_of_waiting_ = std::chrono::steady_clock::now();
  return Loaded::kWaiting;
}

void ConfigSwitch::take(Pair pair) {
  const std::shared_ptr<CacheSource> before = cache_source();
  if (before && before != pair.cache_source) past_.emplace_back(before, std::chrono::steady_clock::now());
  ActiveConfig active = active_config_of(pair);
  if (observer_) observer_->on_rules(pair.rules->loaded);
  {
    const MutexLock lock(mutex_);
    now_ = std::move(pair);
  }
  if (observer_) observer_->on_active(std::move(active));
}

void ConfigSwitch::take_waiting(Time now) {
  if (!next_) return;
  const std::string lacking = next_->cache_source->incomplete();
  if (lacking.empty()) {
    take(std::move(*next_));
    next_.reset();
    metrics_.live().on_reload(true);
    log_info(
        "the rules have their cache, and are taken; pods that wait are tried again when something "
        "changes in the cluster");
  } else if (now - told_of_waiting_ >= kTellOfWaiting) {
    told_of_waiting_ = now;
    log_warn("the new rules still wait for their objects: the old rules stay in force",
             {{"reason", lacking}});
  }
}

void ConfigSwitch::tick() {
  const Time now = std::chrono::steady_clock::now();
  take_waiting(now);
  tell_of_unread_kinds();
  std::erase_if(past_, [&](const auto& past) { return now - past.second > kAfterlife; });
  const std::shared_ptr<CacheSource> here = cache_source();
  try {
    settle_doubts(*here, now);
    tell_of_overdue(here->cache(), now);
  } catch (const std::exception&) {  // Out of memory: the cache is lost, and the log says so.
  }
}

void ConfigSwitch::tell_of_unread_kinds() {
  Pair here;
  {
    const MutexLock lock(mutex_);
    here = now_;
  }
  // At the start a refusal may be that of a server which has not read the roles yet.
  if (here.cache_source->cluster() && here.cache_source->incomplete().empty())
    unread_kinds_.look(*here.cache_source->cluster(), here.rules->loaded.sets);
}

ActiveConfig ConfigSwitch::active_config_of(const Pair& pair) const {
  return {.engines = {pair.rules, &pair.rules->engines},
          .cache = {pair.cache_source, &pair.cache_source->cache()},
          .rejections = metrics_.rules(pair.rules->engines.predicate_names())};
}

std::shared_ptr<CacheSource> ConfigSwitch::cache_source() const {
  const MutexLock lock(mutex_);
  return now_.cache_source;
}

ActiveConfig ConfigSwitch::active() const {
  const MutexLock lock(mutex_);
  return active_config_of(now_);
}

std::string ConfigSwitch::not_ready() const {
  const std::shared_ptr<CacheSource> here = cache_source();
  if (std::string denied = here->denied(); !denied.empty()) return denied;
  std::string why = here->incomplete();
  return why.empty() ? here->stale(options_.max_staleness) : why;
}

std::string ConfigSwitch::missing_rights() const { return cache_source()->missing_rights(); }

std::string ConfigSwitch::unusable() const {
  const std::shared_ptr<CacheSource> here = cache_source();
  std::string why = here->incomplete();
  if (why.empty() && !options_.serve_stale) why = here->stale(options_.max_staleness);
  if (why.empty()) return why;
  const std::string denied = here->denied();
  return "winnow: " + why + (denied.empty() ? "" : "; " + denied);
}

void ConfigSwitch::before_scrape() const {
  const std::shared_ptr<CacheSource> here = cache_source();
  if (!here->cluster()) return;
  const auto now = std::chrono::steady_clock::now();
  std::vector<WatchFigures> watches;
  for (const auto& [resource, status] : here->cluster()->statuses())
    watches.push_back(
        {.resource = resource.name,
         .synced = status.synced,
         .age_seconds = status.synced ? std::chrono::duration<double>(now - status.last_word).count() : 0,
         .resource_version = to_number(status.resource_version),
         .stale = status.synced && status.silence(now) > options_.max_staleness,
         .unread = !status.unread.empty(),
         .missing = !status.missing_right.empty()});
  metrics_.live().set_watches(watches);
}

}  // namespace winnow
