#include "extender/explain/devices_json.h"

#include <format>
#include <string_view>
#include <utility>

#include "cluster/api/quantity.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/text/json.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/words.h"

namespace winnow {
namespace {

/// Appends `,"NAME":`, without the comma behind an opening bracket.
void append_name(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  append_quoted(out, name);
  out += ':';
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
  append_name(out, name);
  append_quoted_line(out, text);
}

/// Appends [a,b,…].
template <class Items, class Append>
void append_list(std::string& out, const Items& items, Append append) {
  out += '[';
  for (const auto& item : items) {
    if (&item != &*items.begin()) out += ',';
    append(item);
  }
  out += ']';
}

void append_members(std::string& out, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  append_name(out, name);
  append_list(out, texts, [&](const std::string& text) { append_quoted_line(out, text); });
}

void append_device(std::string& out, const AllocatedDevice& device) {
  out += '{';
  append_member(out, "request", device.request);
  append_member(out, "driver", device.driver);
  append_member(out, "pool", device.pool);
  append_member(out, "device", device.device);
  if (device.admin_access) append_name(out, "adminAccess"), out += "true";
  if (device.share_id) append_name(out, "shared"), out += "true";
  if (!device.consumed_capacity.empty()) {
    append_name(out, "consumedCapacity");
    out += '{';
    for (const auto& [name, amount] : device.consumed_capacity)
      append_member(out, name, quantity_text(amount));
    out += '}';
  }
  append_members(out, "bindingConditions", device.binding_conditions);
  append_members(out, "bindingFailureConditions", device.binding_failure_conditions);
  out += '}';
}

void append_requirements(std::string& out, std::string_view name,
                         const std::vector<SelectorRequirement>& requirements) {
  if (requirements.empty()) return;
  append_name(out, name);
  append_list(out, requirements, [&](const SelectorRequirement& one) {
    out += '{';
    append_member(out, "key", one.key);
    append_member(out, "operator", one.op);
    append_members(out, "values", one.values);
    out += '}';
  });
}

void append_selector(std::string& out, const NodeSelector& selector) {
  out += '{';
  append_name(out, "nodeSelectorTerms");
  append_list(out, selector.terms, [&](const NodeSelectorTerm& term) {
    out += '{';
    append_requirements(out, "matchExpressions", term.match_expressions);
    append_requirements(out, "matchFields", term.match_fields);
    out += '}';
  });
  out += '}';
}

}  // namespace

void append_devices(std::string& out, const std::vector<ClaimedDevices>& claims) {
  append_list(out, claims, [&](const ClaimedDevices& claim) {
    out += '{';
    append_member(out, "claim", claim.claim);
    append_name(out, "devices");
    append_list(out, claim.allocation.devices, [&](const auto& device) { append_device(out, device); });
    if (claim.allocation.node_selector) {
      append_name(out, "nodeSelector");
      append_selector(out, *claim.allocation.node_selector);
    }
    out += '}';
  });
}

namespace {

/// A device's names. The decoder of the API has a reader of all of AllocatedDevice.
struct DeviceNames {
  std::string request, driver, pool, device;
};

bool read_fields(const Reader& reader, DeviceNames& names) {
  return reader.read("request", names.request) && reader.read("driver", names.driver) &&
         reader.read("pool", names.pool) && reader.read("device", names.device);
}

}  // namespace

bool read_fields(const Reader& reader, ClaimedDevices& claim) {
  std::vector<DeviceNames> devices;
  if (!reader.read("claim", claim.claim) || !reader.read("devices", devices)) return false;
  for (DeviceNames& one : devices) {
    AllocatedDevice& device = claim.allocation.devices.emplace_back();
    device.request = std::move(one.request);
    device.driver = std::move(one.driver);
    device.pool = std::move(one.pool);
    device.device = std::move(one.device);
  }
  return true;
}

std::string to_text(const ClaimedDevices& claim) {
  std::vector<std::string> names;
  const AllocatedDevice* last = nullptr;
  for (const AllocatedDevice& device : claim.allocation.devices) {
    const bool is_alike = last != nullptr && last->driver == device.driver && last->pool == device.pool;
    names.push_back(is_alike ? device.device
                             : std::format("{}/{}/{}", device.driver, device.pool, device.device));
    last = &device;
  }
  const std::string who =
      claim.claim == kExtendedResourceClaim ? "the claim of extended resources" : "claim " + claim.claim;
  return who + ": " + (names.empty() ? "no device" : joined(names));
}

}  // namespace winnow
