#include "cluster/devices/device_cache.h"

#include <algorithm>
#include <string>
#include <utility>

namespace winnow {
namespace {

/// A column with more values is begun anew: devices that have gone may have left them.
constexpr std::size_t kMostValues = 1'000'000;

}  // namespace

template <class Kept>
std::shared_ptr<const Kept> DeviceCache::find(Table<Kept>& table, std::string_view key) {
  const auto found = table.find(key);
  if (found == table.end()) return nullptr;
  found->second.used = ++time_;
  return found->second.kept;
}

template <class Kept>
std::shared_ptr<const Kept> DeviceCache::keep(Table<Kept>& table, std::string_view key,
                                              std::shared_ptr<const Kept> made) {
  // Another thread may have been faster.
  if (auto found = find(table, key)) return found;
  if (table.size() >= most_) {
    const auto oldest =
        std::ranges::min_element(table, {}, [](const auto& entry) { return entry.second.used; });
    if (oldest != table.end()) table.erase(oldest);
  }
  return table.emplace(std::string(key), Entry<Kept>{std::move(made), ++time_}).first->second.kept;
}

std::shared_ptr<const CelSelector> DeviceCache::selector(std::string_view expression) {
  {
    const MutexLock lock(mutex_);
    if (auto found = find(selectors_, expression)) return found;
  }
  // To compile takes long.
  auto made = std::make_shared<const CelSelector>(expression);
  const MutexLock lock(mutex_);
  return keep(selectors_, expression, std::move(made));
}

std::shared_ptr<const AttributeColumn> DeviceCache::attribute(std::string_view name) {
  const MutexLock lock(mutex_);
  if (auto found = find(attributes_, name)) {
    if (found->size() <= kMostValues) return found;
    attributes_.erase(attributes_.find(name));
  }
  return keep(attributes_, name, std::make_shared<const AttributeColumn>(name));
}

DeviceCache& device_cache() {
  static DeviceCache cache;
  return cache;
}

}  // namespace winnow
