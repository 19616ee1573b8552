#include "cluster/decode/reader.h"

namespace winnow {
namespace {

/// Reads the fields that all of these kinds have: metadata and spec.selector. The type of the member decides
/// whether the selector is a map or a LabelSelector.
template <class Object>
bool read_selecting(const Reader& r, Object& object) {
  return r.read("metadata", object.metadata) &&
         r.within("spec", [&](const Reader& spec) { return spec.read("selector", object.selector); });
}

}  // namespace

bool read_fields(const Reader& r, Namespace& name_space) { return r.read("metadata", name_space.metadata); }

bool read_fields(const Reader& r, Service& service) { return read_selecting(r, service); }

static bool read_template_labels(const Reader& r, StringMap& labels) {
  return r.within("spec", [&](const Reader& spec) {
    return spec.within("template", [&](const Reader& pods) {
      return pods.within("metadata", [&](const Reader& metadata) { return metadata.read("labels", labels); });
    });
  });
}

bool read_fields(const Reader& r, ReplicationController& controller) {
  return read_selecting(r, controller) && read_template_labels(r, controller.template_labels);
}

bool read_fields(const Reader& r, ReplicaSet& set) { return read_selecting(r, set); }

bool read_fields(const Reader& r, StatefulSet& set) { return read_selecting(r, set); }

/// Reads status.disruptedPods. The times are kept as text, but they must parse.
static bool read_disrupted_pods(const Reader& r, StringMap& pods) {
  return r.within("disruptedPods", [&](const Reader& members) {
    return members.for_each_member([&](std::string_view name, const Reader& time) {
      Time evicted;
      std::string& text = pods[std::string(name)];
      text.clear();
      return time.is_null() || (read_value(time, evicted) && read_value(time, text));
    });
  });
}

bool read_fields(const Reader& r, PodDisruptionBudget& budget) {
  return read_selecting(r, budget) && r.within("status", [&](const Reader& status) {
    return status.read("disruptionsAllowed", budget.disruptions_allowed) &&
           status.read("currentHealthy", budget.current_healthy) &&
           status.read("desiredHealthy", budget.desired_healthy) &&
           read_disrupted_pods(status, budget.disrupted_pods);
  });
}

bool read_fields(const Reader& r, EndpointSlice& slice) {
  const auto read_endpoint = [&](const Reader& endpoint) {
    std::vector<std::string> addresses;
    std::optional<bool> ready;
    const bool good =
        endpoint.read("addresses", addresses) && endpoint.within("conditions", [&](const Reader& conditions) {
          return conditions.read("ready", ready);
        });
    if (good && ready.value_or(true))
      slice.addresses.insert(slice.addresses.end(), addresses.begin(), addresses.end());
    return good;
  };
  const auto read_port = [&](const Reader& port) {
    auto& [name, number] = slice.ports.emplace_back();
    return port.read("name", name) && port.read("port", number);
  };
  return r.read("metadata", slice.metadata) && r.read("addressType", slice.address_type) &&
         r.for_each_in("endpoints", read_endpoint) && r.for_each_in("ports", read_port);
}

}  // namespace winnow
