#include "extender/config/plugin_sets.h"

#include <algorithm>
#include <format>
#include <set>
#include <utility>

#include "cluster/rule/default_profile.h"
#include "cluster/text/go_format.h"
#include "extender/config/config_release.h"
#include "extender/config/plugin_table.h"

namespace winnow {
namespace {

constexpr std::string_view kAll = "*";
constexpr std::int64_t kMaxScore = 100;

template <class Entries>
auto find_entry(Entries& entries, std::string_view name) {
  return std::ranges::find(entries, name, &PluginEntry::name);
}

bool has(const std::vector<PluginEntry>& entries, std::string_view name) {
  return find_entry(entries, name) != entries.end();
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string path_of(std::string_view path, std::string_view point, const PluginEntry& entry) {
  if (!entry.index) return child(path, point);
  return std::format("{}.{}.enabled[{}].name", path, point, *entry.index);
}

PluginSet merge(const PluginSet& defaults, const PluginSet& custom, const Merging& merging) {
  PluginSet merged;
  if (merging.keeps_disabled) merged.disabled = custom.disabled;
  std::set<std::size_t> replacing;
  for (const PluginEntry& entry : defaults.enabled) {
    if (has(custom.disabled, kAll) || has(custom.disabled, entry.name)) continue;
    // The last of several entries with one name takes the default's position. The others stay, and are
    // refused later.
    const auto again = std::ranges::find_last(custom.enabled, entry.name, &PluginEntry::name);
    const bool replaced = merging.replaces && !again.empty();
    merged.enabled.push_back(replaced ? again.front() : entry);
    if (replaced) replacing.insert(static_cast<std::size_t>(again.begin() - custom.enabled.begin()));
  }
  for (std::size_t i = 0; i < custom.enabled.size(); ++i)
    if (!replacing.contains(i)) merged.enabled.push_back(custom.enabled[i]);
  return merged;
}

PluginSets defaults_of(const ConfigRelease& release) {
  PluginSets sets;
  for (const auto& [point, plugins] : release.defaults) {
    PluginSet& set = point ? sets[*point] : sets.multi_point;
    const bool weighs = !point || *point == Point::kScore;
    for (const std::string_view name : plugins)
      set.enabled.push_back(
          {std::string(name), weighs ? find_plugin(release, name)->weight : 0, std::nullopt});
  }
  return sets;
}

class Resolver {
 public:
  Resolver(const PluginSets& sets, std::string_view path, const ConfigRelease& release)
      : sets_(sets), path_(path), release_(release) {}

  std::expected<ResolvedPlugins, std::string> resolve() {
    for (std::size_t i = 0; i < kPoints; ++i) {
      const Point point = static_cast<Point>(i);
      if (auto good = take_specific(point); !good) return std::unexpected(std::move(good).error());
    }
    for (std::size_t i = 0; i < kPoints && !sets_.multi_point.enabled.empty(); ++i) {
      const Point point = static_cast<Point>(i);
      if (auto good = expand(point); !good) return std::unexpected(std::move(good).error());
    }
    if (auto good = check_counts(); !good) return std::unexpected(std::move(good).error());
    std::map<std::string, std::int64_t, std::less<>> unused;
    if (auto good = weigh(Point::kScore, result_.weights); !good)
      return std::unexpected(std::move(good).error());
    if (auto good = weigh(Point::kPlacementScore, unused); !good)
      return std::unexpected(std::move(good).error());
    return std::move(result_);
  }

 private:
  const PluginRow* row_of(std::string_view name) const { return find_plugin(release_, name); }

  /// The plugins of the point's own list. Upstream: updatePluginList.
  FieldResult take_specific(Point point) {
    const std::string_view interface = name_of(point).interface;
    const std::string_view field = field_of(release_, point);
    for (const PluginEntry& entry : sets_[point].enabled) {
      const PluginRow* const row = row_of(entry.name);
      if (row != nullptr && !row->points.has(point)) {
        return std::unexpected(std::format("{}: plugin {} does not extend {} plugin{}",
                                           path_of(path_, field, entry), go_quote(entry.name), interface,
                                           points_of(*row)));
      }
      if (has(result_[point], entry.name)) return twice(field, interface, entry);
      result_[point].push_back(entry.name);
    }
    return {};
  }

  /// Adds the plugins of multiPoint. Upstream: expandMultiPointPlugins. The order is: plugins of multiPoint
  /// that the point names again, in the point's order; the other plugins of multiPoint; plugins that only the
  /// point names.
  FieldResult expand(Point point) {
    const PluginSet& specific = sets_[point];
    if (has(specific.disabled, kAll)) return {};
    std::vector<std::string> again;
    std::vector<std::string> added;
    for (const PluginEntry& entry : sets_.multi_point.enabled) {
      const PluginRow* const row = row_of(entry.name);
      const bool runs_here = row == nullptr || row->points.has(point);
      if (!runs_here || has(specific.disabled, entry.name)) continue;
      if (has(specific.enabled, entry.name)) {
        again.push_back(entry.name);
      } else if (has(added, entry.name)) {
        return twice("multiPoint", name_of(point).interface, entry);
      } else {
        added.push_back(entry.name);
      }
    }
    std::erase_if(added, [&](const std::string& name) { return row_of(name) == nullptr; });
    std::vector<std::string>& list = result_[point];
    std::ranges::stable_partition(list, [&](const std::string& name) { return has(again, name); });
    const auto behind =
        std::ranges::find_if(list, [&](const std::string& name) { return !has(again, name); });
    list.insert(behind, added.begin(), added.end());
    return {};
  }

  FieldResult check_counts() const {
    // The extension points of an out-of-tree plugin of multiPoint are unknown: it may sort the queue, or
    // bind.
    const bool may_be_more = std::ranges::any_of(
        sets_.multi_point.enabled, [&](const PluginEntry& entry) { return row_of(entry.name) == nullptr; });
    const std::size_t sorts = result_[Point::kQueueSort].size();
    if (sorts > 1 || (sorts == 0 && !may_be_more)) {
      return std::unexpected(std::format("{}: only one queue sort plugin required, but got {}",
                                         child(path_, "queueSort"), sorts));
    }
    if (result_[Point::kBind].empty() && !may_be_more)
      return std::unexpected(std::format("{}: at least one bind plugin is needed", child(path_, "bind")));
    if (result_[Point::kPlacementGenerate].size() > 1) {
      return std::unexpected(std::format("{}: at most one placement generate plugin is allowed",
                                         child(path_, "placementGenerate")));
    }
    return {};
  }

  /// The weights of a point's plugins. Upstream: getValidScoreWeights. The point's weight counts before
  /// multiPoint's, and an absent weight is 1. Upstream's test for an overflow overflows itself where the sum
  /// is below 0. So an error is returned there if any plugin follows.
  FieldResult weigh(Point point, std::map<std::string, std::int64_t, std::less<>>& weights) const {
    std::int64_t total = 0;
    for (const PluginSet* const set : {&sets_[point], &sets_.multi_point}) {
      for (const PluginEntry& entry : set->enabled) {
        const PluginRow* const row = row_of(entry.name);
        if ((row != nullptr && !row->points.has(point)) || weights.contains(entry.name)) continue;
        const std::int64_t absent = row == nullptr ? 1 : row->absent_weight;
        const std::int64_t weight = entry.weight == 0 ? absent : entry.weight;
        if (total < 0)
          return std::unexpected(std::format("{}: total score of Score plugins could overflow", path_));
        total += weight * kMaxScore;
        weights.emplace(entry.name, weight);
      }
    }
    return {};
  }

  std::unexpected<std::string> twice(std::string_view field, std::string_view interface,
                                     const PluginEntry& entry) const {
    return std::unexpected(std::format("{}: plugin {} already registered as {}", path_of(path_, field, entry),
                                       go_quote(entry.name), go_quote(interface)));
  }

  std::string points_of(const PluginRow& row) const {
    std::string text;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const Point point = static_cast<Point>(i);
      if (row.points.has(point)) text.append(text.empty() ? "" : ", ").append(field_of(release_, point));
    }
    return " (it runs at " + text + ")";
  }

  const PluginSets& sets_;
  std::string_view path_;
  const ConfigRelease& release_;
  ResolvedPlugins result_;
};

}  // namespace

PluginSets merge_into_defaults(const PluginSets& custom, const ConfigRelease& release) {
  const PluginSets enabled = defaults_of(release);
  PluginSets merged;
  merged.multi_point = merge(enabled.multi_point, custom.multi_point, release.merging);
  for (std::size_t i = 0; i < kPoints; ++i)
    merged.at[i] = merge(enabled.at[i], custom.at[i], release.merging);
  if (release.merging.drops_multi_point) merged.multi_point = enabled.multi_point;
  if (release.merging.drops_pre_enqueue) merged[Point::kPreEnqueue] = enabled[Point::kPreEnqueue];
  return merged;
}

bool is_needed(const PluginSets& sets, std::string_view plugin) {
  return has(sets.multi_point.enabled, plugin) ||
         std::ranges::any_of(sets.at, [&](const PluginSet& set) { return has(set.enabled, plugin); });
}

std::expected<ResolvedPlugins, std::string> resolve_plugins(const PluginSets& sets, std::string_view path,
                                                            const ConfigRelease& release) {
  return Resolver(sets, path, release).resolve();
}

}  // namespace winnow
