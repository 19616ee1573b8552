#include "cluster/devices/attribute_column.h"

#include <utility>
#include <variant>

namespace winnow {
namespace {

/// The value with its type, as a text.
std::string key_of(const DeviceAttribute& attribute) {
  if (const auto* number = std::get_if<std::int64_t>(&attribute)) return "i" + std::to_string(*number);
  if (const auto* boolean = std::get_if<bool>(&attribute)) return *boolean ? "b1" : "b0";
  if (const auto* version = std::get_if<DeviceVersion>(&attribute)) return "v" + version->text;
  return "s" + std::get<std::string>(attribute);
}

}  // namespace

const DeviceAttribute* find_attribute(const Device& device, std::string_view driver, std::string_view name) {
  auto found = device.attributes.find(name);
  if (found != device.attributes.end()) return &found->second;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.substr(0, slash) != driver) return nullptr;
  found = device.attributes.find(name.substr(slash + 1));
  return found == device.attributes.end() ? nullptr : &found->second;
}

std::size_t AttributeColumn::size() const {
  const MutexLock lock(mutex_);
  return values_.size();
}

AttributeColumn::Value AttributeColumn::number_of(const DeviceAttribute& attribute) const {
  if (std::holds_alternative<UnsupportedAttribute>(attribute)) return kUnknownType;
  const MutexLock lock(mutex_);
  const auto next = static_cast<Value>(values_.size() + kUnknownType + 1);
  return values_.emplace(key_of(attribute), next).first->second;
}

AttributeColumn::Value AttributeColumn::look_up(const PublishedDevice& device,
                                                std::string_view driver) const {
  const DeviceAttribute* attribute = find_attribute(*device.device, driver, name_);
  const Value value = attribute == nullptr ? kAbsent : number_of(*attribute);
  kept_.set(device.slot, std::uint64_t{device.version} << 32 | value);
  return value;
}

}  // namespace winnow
