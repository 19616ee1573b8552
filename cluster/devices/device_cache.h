// What outlives an allocation: compiled selectors with their answers, and the values of attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cluster/devices/attribute_column.h"
#include "cluster/devices/cel_selector.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Thread-safe. It may serve several inventories. What was used least recently goes; whoever uses it keeps it
/// alive.
class DeviceCache {
 public:
  /// @param most  of selectors, and of attributes. One takes 4 or 8 bytes for each device.
  explicit DeviceCache(std::size_t most = 128) : most_(most) {}

  std::shared_ptr<const CelSelector> selector(std::string_view expression);
  std::shared_ptr<const AttributeColumn> attribute(std::string_view name);

 private:
  template <class Kept>
  struct Entry {
    std::shared_ptr<const Kept> kept;
    std::uint64_t used = 0;
  };
  template <class Kept>
  using Table = TextMap<Entry<Kept>>;
  template <class Kept>
  std::shared_ptr<const Kept> find(Table<Kept>& table, std::string_view key) WINNOW_REQUIRES(mutex_);
  template <class Kept>
  std::shared_ptr<const Kept> keep(Table<Kept>& table, std::string_view key, std::shared_ptr<const Kept> made)
      WINNOW_REQUIRES(mutex_);

  const std::size_t most_;
  Mutex mutex_;
  Table<CelSelector> selectors_ WINNOW_GUARDED_BY(mutex_);
  Table<AttributeColumn> attributes_ WINNOW_GUARDED_BY(mutex_);
  std::uint64_t time_ WINNOW_GUARDED_BY(mutex_) = 0;
};

/// That of the process.
DeviceCache& device_cache();

}  // namespace winnow
