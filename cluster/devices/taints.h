// Taints of devices: which ones a request tolerates, and which rules taint a device.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2 resourceclaim/devicetoleration.go,
// resourceslice/tracker/tracker.go, structured/internal/incubating/allocator_incubating.go.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/meta.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Whether the effect of the taint keeps devices from being allocated: NoSchedule and NoExecute do.
bool prevents_allocation(const DeviceTaint& taint);
bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint);
bool tolerates(std::span<const DeviceToleration> tolerations, const DeviceTaint& taint);

/// Rules by what they select, so that the rules of a device are found by its name.
class TaintRules {
 public:
  using Rules = std::vector<const DeviceTaintRule*>;

  const Store<DeviceTaintRule>& rules() const { return rules_; }
  /// Adds a rule whose name is not there. @return the rule as it is kept.
  const DeviceTaintRule& add(const DeviceTaintRule& rule);
  /// The rule of that name, or null.
  const DeviceTaintRule* find(std::string_view name) const;
  void remove(const DeviceTaintRule& rule);

  /// The rules that taint the device, in order of name. Upstream has them in no order.
  Rules of(std::string_view driver, std::string_view pool, std::string_view device) const;
  /// Whether any rule names the driver or no driver, and the pool or no pool: else of() is empty for its
  /// devices.
  bool may_have(std::string_view driver, std::string_view pool) const;

 private:
  Store<DeviceTaintRule> rules_;
  TextMap<Rules> by_selector_;
  TextMap<std::size_t> by_pool_;  ///< How many rules there are.
};

}  // namespace winnow
