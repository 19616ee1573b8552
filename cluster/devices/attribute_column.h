// Numbers for the values that devices have for one attribute, so that constraints compare numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/device.h"
#include "cluster/devices/published.h"
#include "cluster/devices/slot_table.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// The attribute of that full name, or null. Upstream: lookupAttribute.
const DeviceAttribute* find_attribute(const Device& device, std::string_view driver, std::string_view name);

/// Any number of threads may ask it at once. Values that are equal have equal numbers.
class AttributeColumn {
 public:
  using Value = std::uint32_t;
  static constexpr Value kAbsent = 0;       ///< The device does not have it.
  static constexpr Value kUnknownType = 1;  ///< It is equal to nothing.

  /// @param name  fully qualified.
  explicit AttributeColumn(std::string_view name) : name_(name) {}

  /// @param driver  is read where the value is not known yet.
  Value of(const PublishedDevice& device, const std::string& driver) const {
    const std::uint64_t kept = kept_.get(device.slot);
    if (kept >> 32 == device.version) return static_cast<Value>(kept);
    return look_up(device, driver);
  }
  const std::string& name() const { return name_; }
  /// How many values it has seen.
  std::size_t size() const;

 private:
  Value look_up(const PublishedDevice& device, std::string_view driver) const;
  Value number_of(const DeviceAttribute& attribute) const;

  std::string name_;
  mutable Mutex mutex_;
  mutable TextMap<Value> values_ WINNOW_GUARDED_BY(mutex_);
  /// The version of the device and its value, by slot.
  mutable SlotTable<std::uint64_t> kept_;
};

}  // namespace winnow
