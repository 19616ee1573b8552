#include "extender/live/worlds.h"

#include <algorithm>

#include "cluster/state/assumed_pods.h"
#include "extender/config/needed.h"
#include "extender/log/log.h"

namespace winnow {
namespace {

/// Longer than any call lasts: the last one to let go of a site would have to wait for its threads.
constexpr std::chrono::seconds kAfterlife{15};
constexpr std::chrono::seconds kAssumedForLong{60};

void tell_of_overdue(Picture& picture, AssumedPods::Time now) {
  if (picture.read().assumed().oldest(now) < kAssumedForLong) return;
  picture.write_pods([&](AssumedPods& pods) {
    for (const AssumedPods::Entry& entry : pods.overdue(now, kAssumedForLong))
      log_warn("pod assumed for long without any word of it",
               {{"pod", entry.ns + '/' + entry.name}, {"node", entry.node}});
  });
}

}  // namespace

std::expected<void, std::string> Worlds::load(LoadedRules loaded) {
  const State::Options options = state_options(loaded);
  const Needs needs = needed(loaded.sets);
  auto rules = std::make_shared<const Rules>(std::move(loaded), workers_);
  const std::shared_ptr<Site> current = site();
  if (current && current->serves(options, needs)) {
    next_.reset();
    take({std::move(rules), current});
    return {};
  }
  auto made = make_site_(options, needs);
  if (!made) return std::unexpected(std::move(made).error());
  (*made)->start();
  Pair pair{std::move(rules), std::move(*made)};
  if (!current || pair.site->incomplete().empty()) {
    take(std::move(pair));
  } else {
    log_info("the rules read other things of the cluster: they wait for a picture of these");
    next_ = std::move(pair);
  }
  return {};
}

void Worlds::take(Pair pair) {
  const std::shared_ptr<Site> before = site();
  if (before && before != pair.site) {
    past_.emplace_back(before, std::chrono::steady_clock::now());
    const Picture::Reader old = before->picture().read();
    pair.site->picture().write_pods([&](AssumedPods& pods) { pods.take_over(old.assumed()); });
  }
  World world = world_of(pair);
  {
    const std::lock_guard lock(mutex_);
    now_ = std::move(pair);
  }
  if (changed_) changed_(std::move(world));
}

void Worlds::tick() {
  if (next_ && next_->site->incomplete().empty()) {
    take(std::move(*next_));
    next_.reset();
    log_info("the rules have their picture, and are taken");
  }
  const Time now = std::chrono::steady_clock::now();
  std::erase_if(past_, [&](const auto& past) { return now - past.second > kAfterlife; });
  tell_of_overdue(site()->picture(), now);
}

World Worlds::world_of(const Pair& pair) const {
  return {.engines = {pair.rules, &pair.rules->engines},
          .picture = {pair.site, &pair.site->picture()},
          .rejections = metrics_.rules(pair.rules->engines.predicate_names())};
}

std::shared_ptr<Site> Worlds::site() const {
  const std::lock_guard lock(mutex_);
  return now_.site;
}

World Worlds::world() const {
  const std::lock_guard lock(mutex_);
  return world_of(now_);
}

std::string Worlds::not_ready() const {
  const std::shared_ptr<Site> here = site();
  std::string why = here->incomplete();
  return why.empty() ? here->stale(options_.max_staleness) : why;
}

std::string Worlds::unusable() const {
  const std::shared_ptr<Site> here = site();
  std::string why = here->incomplete();
  if (why.empty() && !options_.serve_stale) why = here->stale(options_.max_staleness);
  return why.empty() ? why : "winnow: " + why;
}

void Worlds::before_scrape() const {
  const std::shared_ptr<Site> here = site();
  if (!here->cluster()) return;
  const auto now = std::chrono::steady_clock::now();
  std::vector<LiveMetrics::Watch> watches;
  for (const auto& [resource, status] : here->cluster()->statuses())
    watches.push_back(
        {.resource = resource.name,
         .synced = status.synced,
         .age_seconds = status.synced ? std::chrono::duration<double>(now - status.last_word).count() : 0,
         .resource_version = to_number(status.resource_version)});
  metrics_.live().set_watches(watches);
}

}  // namespace winnow
