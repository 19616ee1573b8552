// Devices as selectors see them: the environment of CEL expressions, and the value of their variable
// `device`. Upstream: k8s.io/dynamic-resource-allocation v0.37.2 cel/compile.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/device.h"
#include "cluster/cel/containers.h"
#include "cluster/cel/environment.h"
#include "cluster/cel/type.h"
#include "cluster/cel/value.h"

namespace winnow {

/// The most that a selector may cost on one device (CELSelectorExpressionMaxCost).
inline constexpr std::uint64_t kMostSelectorCost = 1'000'000;

/// An environment with the variable `device`. Upstream's differ in two ways.
/// @param attribute  the type of an attribute.
/// @param has_multiple  whether the device has the field `allowMultipleAllocations`.
cel::Environment make_device_environment(const cel::Type& attribute, bool has_multiple);
/// The one that kube-scheduler compiles selectors in, as stored expressions: attributes are `dyn`.
const cel::Environment& device_environment();

/// What the conversion of the device's attributes fails with, in upstream's words; nothing if they are sound.
/// Upstream converts all attributes before it evaluates anything. Of several it names any one, this the
/// first.
std::optional<std::string> attribute_error(const Device& device);

/// The maps by domain of a device's attributes, or of its capacities. A domain that is not there is an empty
/// map. The parts of a value are made when they are asked for.
template <class Entries>
class DomainMap : public cel::Map {
 public:
  /// @param driver  the domain of names without one. Both outlive the map.
  DomainMap(const Entries& entries, std::string_view driver) : entries_(entries), driver_(driver) {}

  std::size_t size() const override;
  std::optional<cel::Value> find(const cel::Value& key) const override;
  bool has(const cel::Value& key) const override;
  cel::Value key_at(std::size_t index) const override;

 private:
  const Entries& entries_;
  std::string_view driver_;
};

/// The value of `device`. It borrows the device, and lives on the stack of who evaluates.
class CelDevice : public cel::Map {
 public:
  /// @param device  its attributes have no attribute_error(). Both outlive it.
  CelDevice(const Device& device, std::string_view driver)
      : device_(device),
        driver_(driver),
        attributes_(device.attributes, driver),
        capacity_(device.capacity, driver) {}

  cel::Value value() const { return cel::Value::borrowed_map(this); }

  std::size_t size() const override { return 4; }
  std::optional<cel::Value> find(const cel::Value& key) const override;
  cel::Value key_at(std::size_t index) const override;

 private:
  const Device& device_;
  std::string_view driver_;
  DomainMap<DeviceAttributes> attributes_;
  DomainMap<DeviceCapacities> capacity_;
};

}  // namespace winnow
