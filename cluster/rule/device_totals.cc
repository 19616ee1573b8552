#include "cluster/rule/device_totals.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "cluster/api/device.h"
#include "cluster/api/selector_errors.h"
#include "cluster/devices/cel_selector.h"
#include "cluster/devices/device_cache.h"
#include "cluster/devices/inventory.h"
#include "cluster/rule/pod_devices.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {
namespace {

/// What devices give the nodes that can use them.
struct Gives {
  std::int64_t devices = 0;
  std::int64_t allocated = 0;
  bool fails = false;
};

/// The compiled selectors of a class.
class ClassSelectors {
 public:
  /// @param shares  whether they see that a device may have several allocations.
  explicit ClassSelectors(const DeviceClass& of, bool shares = true) {
    for (const auto& selector : of.selectors) {
      if (!selector) continue;
      const bool is_other = !shares && selector->contains("allowMultipleAllocations");
      selectors_.push_back(is_other ? std::make_shared<const CelSelector>(*selector)
                                    : device_cache().selector(*selector));
      sees_shares_.push_back(!is_other);
    }
  }

  /// How often match() has had to evaluate a selector.
  std::size_t evaluated() const { return evaluated_; }

  /// Nothing: a selector fails.
  std::optional<bool> match(const PublishedDevice& device, std::string_view driver) const {
    for (std::size_t i = 0; i < selectors_.size(); ++i) {
      const auto& selector = selectors_[i];
      if (!selector->compile_error().empty()) return std::nullopt;
      std::optional<bool> matches = selector->known(device);
      if (!matches) {
        ++evaluated_;
        const SelectorVerdict verdict = sees_shares_[i] ? selector->evaluate(device, driver, {})
                                                        : evaluate_alone(*selector, device, driver);
        if (!verdict.error.empty()) return std::nullopt;
        matches = verdict.matches;
      }
      if (!*matches) return false;
    }
    return true;
  }

 private:
  static SelectorVerdict evaluate_alone(const CelSelector& selector, const PublishedDevice& device,
                                        std::string_view driver) {
    Device alone = *device.device;
    alone.allow_multiple_allocations.reset();
    PublishedDevice published = device;
    published.device = &alone;
    return selector.evaluate(published, driver, {});
  }

  std::vector<std::shared_ptr<const CelSelector>> selectors_;
  std::vector<bool> sees_shares_;
  mutable std::size_t evaluated_ = 0;
};

bool is_allocated(const DeviceInventory& devices, const PublishedDevice& device) {
  return device.id != kNoDevice && devices.held().is_held(device.id);
}

class Counting {
 public:
  Counting(const View& view, const DeviceClass& of)
      : view_(view), nodes_(view.all_nodes()), class_(of, /*shares=*/false) {
    const std::size_t ids = nodes_.empty() ? 0 : std::size_t{std::ranges::max(nodes_)} + 1;
    totals_ = {std::vector<std::int64_t>(ids), std::vector<std::int64_t>(ids)};
    fails_.resize(ids);
  }

  DeviceTotals count() {
    for (const DevicePool* pool : view_.devices().pools())
      for (const PublishedSlice* slice : pool->slices()) add(*slice);
    for (const NodeId node : nodes_) give(node, to_all_);
    for (const NodeId node : nodes_)
      if (fails_[node]) totals_.devices[node] = totals_.allocated[node] = 0;
    return std::move(totals_);
  }

 private:
  void add(const PublishedSlice& slice) {
    const ResourceSlice& object = *slice.object;
    if (object.per_device_node_selection) {
      for (const PublishedDevice& device : slice.devices) {
        const Device& of = *device.device;
        const auto gives = [&] { return sum({&device, 1}, object); };
        if (of.all_nodes)
          give_all(gives());
        else if (!of.node_name.empty())
          give(view_.find_node(of.node_name), gives());
        else if (of.node_selector)
          give_selected(*of.node_selector, gives());
      }
    } else if (!object.all_nodes && !object.node_name.empty()) {
      give(view_.find_node(object.node_name), sum(slice.devices, object));
    } else if (!object.all_nodes && object.node_selector) {
      give_selected(*object.node_selector, sum(slice.devices, object));
    } else {
      give_all(sum(slice.devices, object));
    }
  }

  Gives sum(std::span<const PublishedDevice> devices, const ResourceSlice& slice) const {
    Gives gives;
    for (const PublishedDevice& device : devices) {
      const std::optional<bool> matches = class_.match(device, slice.driver);
      if (!matches) return {.fails = true};
      if (!*matches) continue;
      ++gives.devices;
      if (is_allocated(view_.devices(), device)) ++gives.allocated;
    }
    return gives;
  }

  void give(NodeId node, const Gives& gives) {
    if (node == kNone) return;
    totals_.devices[node] += gives.devices;
    totals_.allocated[node] += gives.allocated;
    if (gives.fails) fails_[node] = true;
  }
  void give_all(const Gives& gives) {
    to_all_.devices += gives.devices;
    to_all_.allocated += gives.allocated;
    to_all_.fails |= gives.fails;
  }
  void give_selected(const NodeSelector& selector, const Gives& gives) {
    if (!node_selector_errors(selector).empty()) return give_all({.fails = true});
    const DeviceNodes selected(view_, selector);
    for (const NodeId node : nodes_)
      if (selected.matches(node)) give(node, gives);
  }

  const View& view_;
  const std::vector<NodeId> nodes_;
  const ClassSelectors class_;
  DeviceTotals totals_;
  Gives to_all_;
  std::vector<bool> fails_;
};

}  // namespace

DeviceTotals count_devices(const View& view, const DeviceClass& of) { return Counting(view, of).count(); }

std::set<std::string, std::less<>> drivers_of_class(const State& state, const DeviceClass& of) {
  std::set<std::string, std::less<>> drivers;
  const ClassSelectors selectors(of);
  for (const DevicePool* pool : state.devices.pools()) {
    if (drivers.contains(pool->driver())) continue;
    const auto has_one = [&](const PublishedSlice* slice) {
      return std::ranges::any_of(slice->devices, [&](const PublishedDevice& device) {
        return selectors.match(device, pool->driver()).value_or(false);
      });
    };
    if (std::ranges::any_of(pool->slices(), has_one)) drivers.insert(pool->driver());
  }
  return drivers;
}

std::vector<ClassDevices> count_by_class(const State& state, std::size_t most) {
  const auto& classes = state.objects.of<DeviceClass>();
  const DeviceInventory& inventory = state.devices;
  std::vector<const PublishedSlice*> slices;
  std::size_t devices = 0;
  for (const DevicePool* pool : inventory.pools()) {
    const PoolContent& content = pool->whole(inventory.held()).content;
    if (!content.is_valid) continue;
    for (const PublishedSlice* slice : content.slices) {
      slices.push_back(slice);
      devices += slice->devices.size();
    }
  }
  // Selectors are kept for requests, too: more of them would push those out.
  constexpr std::size_t kMostSelectors = 64;
  constexpr std::size_t kMostLooks = 2'000'000;
  std::size_t of_classes = 0, evaluated = 0;
  for (const auto& [name, of] : classes) of_classes += std::max<std::size_t>(of.selectors.size(), 1);
  if (of_classes > kMostSelectors || devices * of_classes > kMostLooks) return {};
  std::vector<ClassDevices> counts;
  for (const auto& [name, of] : classes) {
    const ClassSelectors selectors(of);
    ClassDevices& count = counts.emplace_back(name);
    for (const PublishedSlice* slice : slices)
      for (const PublishedDevice& device : slice->devices) {
        if (evaluated + selectors.evaluated() > most) return {};
        if (!selectors.match(device, slice->object->driver).value_or(false)) continue;
        ++(is_allocated(inventory, device) ? count.allocated : device.tainted ? count.tainted : count.free);
      }
    evaluated += selectors.evaluated();
  }
  std::ranges::sort(counts, {}, &ClassDevices::name);
  return counts;
}

}  // namespace winnow
