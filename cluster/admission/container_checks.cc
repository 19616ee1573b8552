#include <algorithm>
#include <array>
#include <format>
#include <set>
#include <string>
#include <utility>

#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_checks.h"
#include "cluster/api/names.h"
#include "cluster/api/resource_name.h"
#include "cluster/state/pod_requests.h"
#include "cluster/text/field_result.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

using Names = std::set<std::string_view>;

constexpr std::array<std::string_view, 3> kProtocols{"SCTP", "TCP", "UDP"};
constexpr std::array<std::string_view, 3> kRestartPolicies{"Always", "Never", "OnFailure"};
constexpr std::string_view kSpace = " \t\n\v\f\r";

void check_port_number(std::int32_t port, const std::string& path, FieldErrors& errors) {
  if (port < 1 || port > 65535) errors.invalid(path, port, "must be between 1 and 65535, inclusive");
}

void check_ports(const std::vector<ContainerPort>& ports, const std::string& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < ports.size() && !errors.is_full(); ++i) {
    const ContainerPort& port = ports[i];
    const std::string at = element(path, i);
    if (port.container_port == 0)
      errors.required(child(at, "containerPort"));
    else
      check_port_number(port.container_port, child(at, "containerPort"), errors);
    if (port.host_port != 0) check_port_number(port.host_port, child(at, "hostPort"), errors);
    if (port.protocol.empty())
      errors.required(child(at, "protocol"));
    else if (!std::ranges::contains(kProtocols, port.protocol))
      errors.unsupported(child(at, "protocol"), port.protocol, kProtocols);
  }
}

/// Upstream: AccumulateUniqueHostPorts.
void check_host_ports_once(const Container& container, const std::string& path, std::set<std::string>& used,
                           FieldErrors& errors) {
  for (std::size_t i = 0; i < container.ports.size() && !errors.is_full(); ++i) {
    const ContainerPort& port = container.ports[i];
    if (port.host_port == 0) continue;
    std::string key = std::format("{}/{}/{}", port.protocol, port.host_ip, port.host_port);
    const std::string at = element(child(path, "ports"), i);
    if (used.contains(key)) errors.duplicate(child(at, "hostPort"), key);
    used.insert(std::move(key));
  }
}

void check_container(const Container& container, const std::string& path, FieldErrors& errors) {
  const std::string name = child(path, "name");
  if (container.name.empty())
    errors.required(name);
  else if (const std::string wrong = namespace_name_errors(container.name); !wrong.empty())
    errors.invalid(name, container.name, wrong);
  const std::string& image = container.image;
  if (image.empty())
    errors.required(child(path, "image"));
  else if (kSpace.contains(image.front()) || kSpace.contains(image.back()))
    errors.invalid(child(path, "image"), image, "must not have leading or trailing whitespace");
  check_ports(container.ports, child(path, "ports"), errors);
  check_resources(container.resources, ResourceScope::kContainer, child(path, "resources"), errors);
  if (!container.restart_policy.empty() && !std::ranges::contains(kRestartPolicies, container.restart_policy))
    errors.unsupported(child(path, "restartPolicy"), container.restart_policy, kRestartPolicies);
}

/// Upstream: validatePodHostNetworkDeps.
void check_host_network_ports(const Container& container, const std::string& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < container.ports.size() && !errors.is_full(); ++i)
    if (const ContainerPort& port = container.ports[i]; port.host_port != port.container_port) {
      const std::string at = element(child(path, "ports"), i);
      errors.invalid(child(at, "hostPort"), port.host_port,
                     "must match `containerPort` when `hostNetwork` is true");
    }
}

void check_regular(const PodSpec& spec, const std::string& path, Names& names, FieldErrors& errors) {
  if (spec.containers.empty()) return errors.required(path);
  std::set<std::string> used;
  for (std::size_t i = 0; i < spec.containers.size() && !errors.is_full(); ++i) {
    const Container& container = spec.containers[i];
    const std::string at = element(path, i);
    check_container(container, at, errors);
    if (!names.insert(container.name).second) errors.duplicate(child(at, "name"), container.name);
    check_host_ports_once(container, at, used, errors);
    if (spec.host_network) check_host_network_ports(container, at, errors);
  }
}

// The init containers run one after the other, so each has host ports for itself. Upstream names the first
// one in such an error, whichever it is.
void check_init(const PodSpec& spec, const std::string& path, Names& names, FieldErrors& errors) {
  for (std::size_t i = 0; i < spec.init_containers.size() && !errors.is_full(); ++i) {
    const Container& container = spec.init_containers[i];
    const std::string at = element(path, i);
    check_container(container, at, errors);
    const bool is_new = !names.contains(container.name);
    if (!is_new) errors.duplicate(child(at, "name"), container.name);
    if (is_new && !container.name.empty()) names.insert(container.name);
    std::set<std::string> used;
    check_host_ports_once(container, element(path, 0), used, errors);
  }
}

}  // namespace

void check_containers(const PodSpec& spec, std::string_view path, FieldErrors& errors) {
  Names names;
  check_regular(spec, child(path, "containers"), names, errors);
  check_init(spec, child(path, "initContainers"), names, errors);
}

namespace {

constexpr std::array<std::string_view, 3> kPodLevel{"cpu", "hugepages-", "memory"};

bool is_compute(std::string_view name) { return name == "cpu" || name == "memory"; }
/// Upstream: IsOvercommitAllowed.
bool may_overcommit(std::string_view name) { return is_native_resource(name) && !is_hugepage(name); }

void check_name(const std::string& name, ResourceScope scope, const std::string& path, FieldErrors& errors) {
  if (const std::string wrong = label_key_errors(name, Generation::kToday); !wrong.empty())
    return errors.invalid(path, name, wrong);
  if (scope == ResourceScope::kPod) {
    if (!is_compute(name) && !is_hugepage(name)) errors.unsupported(path, name, kPodLevel);
  } else if (!name.contains('/')) {
    if (!is_compute(name) && name != "ephemeral-storage" && !is_hugepage(name))
      errors.invalid(path, name, "must be a standard resource for containers");
  } else if (!is_native_resource(name) && !is_extended_resource(name)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

/// Upstream: IsIntegerResourceName. Of the names of quotas only "pods" and the like; none is good for a
/// container.
bool counts_in_units(std::string_view name) {
  constexpr std::array<std::string_view, 9> kCounted{
      "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
      "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};
  return std::ranges::contains(kCounted, name) || is_extended_resource(name);
}

/// Upstream: IsHugePageResourceValueDivisible.
bool is_divisible(const std::string& name, const Quantity& amount) {
  constexpr std::string_view kPrefix = "hugepages-";
  const auto page = Quantity::parse(std::string_view(name).substr(kPrefix.size()));
  if (!page || *page <= Quantity() || page->milli_value() % 1000 != 0 || page->value() == 0) return false;
  return amount.value() % page->value() == 0;
}

void check_amount(const std::string& name, const Quantity& amount, const std::string& path,
                  FieldErrors& errors) {
  if (amount < Quantity()) errors.invalid(path, quantity_text(amount), "must be greater than or equal to 0");
  if (counts_in_units(name) && amount.milli_value() % 1000 != 0)
    errors.invalid(path, quantity_text(amount), "must be an integer");
  if (is_hugepage(name) && !is_divisible(name, amount))
    errors.invalid(path, quantity_text(amount),
                   std::format("{} is not positive integer multiple of {}", quantity_text(amount), name));
}

void check_against_limit(const std::string& name, const Quantity& request, const ResourceList& limits,
                         std::string_view path, FieldErrors& errors) {
  const auto limit = limits.find(name);
  if (limit == limits.end()) {
    if (!may_overcommit(name))
      errors.required(child(path, "limits"), "Limit must be set for non overcommitable resources");
  } else if (request != limit->second && !may_overcommit(name)) {
    errors.invalid(child(path, "requests"), quantity_text(request),
                   std::format("must be equal to {} limit of {}", name, quantity_text(limit->second)));
  } else if (request > limit->second) {
    errors.invalid(
        child(path, "requests"), quantity_text(request),
        std::format("must be less than or equal to {} limit of {}", name, quantity_text(limit->second)));
  }
}

bool names_any(const ResourceRequirements& resources, bool (*is)(std::string_view)) {
  const auto named = [&](const auto& entry) { return is(entry.first); };
  return std::ranges::any_of(resources.requests, named) || std::ranges::any_of(resources.limits, named);
}

void check_limits_of_containers(const PodSpec& spec, std::string_view path, FieldErrors& errors) {
  const ResourceList& level = spec.resources->limits;
  for (std::size_t i = 0; i < spec.containers.size() && !errors.is_full(); ++i)
    for (const auto& [name, limit] : spec.containers[i].resources.limits)
      if (const auto most = level.find(name); most != level.end() && limit > most->second) {
        const std::string at = member(element(child(path, "containers"), i), name);
        errors.invalid(child(at, "limits"), quantity_text(limit),
                       "must be less than or equal to pod limits of " + quantity_text(most->second));
      }
}

/// Upstream: validatePodResourceConsistency.
void check_against_containers(const Pod& pod, std::string_view path, FieldErrors& errors) {
  const ResourceRequirements& level = *pod.spec.resources;
  for (const auto& [name, requests] : container_request_list(pod))
    if (const auto own = level.requests.find(name); own != level.requests.end() && requests > own->second)
      errors.invalid(
          member(child(path, "requests"), name), quantity_text(own->second),
          "must be greater than or equal to aggregate container requests of " + quantity_text(requests));
  for (const auto& [name, limits] : container_limit_list(pod))
    if (const auto own = level.limits.find(name);
        is_hugepage(name) && own != level.limits.end() && limits > own->second)
      errors.invalid(
          member(child(path, "limits"), name), quantity_text(own->second),
          "must be greater than or equal to aggregate container limits of " + quantity_text(limits));
  check_limits_of_containers(pod.spec, path, errors);
}

}  // namespace

void check_resources(const ResourceRequirements& resources, ResourceScope scope, std::string_view path,
                     FieldErrors& errors) {
  const auto check_list = [&](const ResourceList& list, const std::string& at, bool requests) {
    for (const auto& [name, amount] : list) {
      if (errors.is_full()) return;
      check_name(name, scope, member(at, name), errors);
      check_amount(name, amount, member(at, name), errors);
      if (requests) check_against_limit(name, amount, resources.limits, path, errors);
    }
  };
  check_list(resources.limits, child(path, "limits"), false);
  check_list(resources.requests, child(path, "requests"), true);
  if (names_any(resources, is_hugepage) && !names_any(resources, is_compute))
    errors.forbidden(path, "HugePages require cpu or memory");
}

void check_pod_level_resources(const Pod& pod, std::string_view path, FieldErrors& errors) {
  if (!pod.spec.resources) return;
  check_resources(*pod.spec.resources, ResourceScope::kPod, path, errors);
  check_against_containers(pod, path, errors);
}

namespace {

std::string claim_path(const std::string& path) {
  return child(child(path, "persistentVolumeClaim"), "claimName");
}

/// The name of an ephemeral volume's claim. One that is missing is complained of elsewhere.
std::string made_claim(const Volume& volume, std::string_view pod_name) {
  if (volume.source != VolumeSource::kEphemeral || pod_name.empty()) return {};
  return std::string(pod_name) + '-' + volume.name;
}

void check_volume(const Volume& volume, std::string_view pod_name, bool is_new, const std::string& path,
                  FieldErrors& errors) {
  const std::string name = child(path, "name");
  if (volume.source == VolumeSource::kPersistentVolumeClaim && volume.id.empty())
    errors.required(claim_path(path));
  if (const std::string claim = made_claim(volume, pod_name); !claim.empty() && !volume.name.empty())
    if (const std::string wrong = object_name_errors(claim); !wrong.empty())
      errors.invalid(name, volume.name, "PVC name " + go_quote(claim) + ": " + wrong);
  if (volume.name.empty())
    errors.required(name);
  else if (const std::string wrong = namespace_name_errors(volume.name); !wrong.empty())
    errors.invalid(name, volume.name, wrong);
  if (!is_new) errors.duplicate(name, volume.name);
}

}  // namespace

// Upstream: ValidateVolumes. Only a name of a good volume counts as taken.
void check_volumes(std::span<const Volume> volumes, std::string_view pod_name, std::string_view path,
                   FieldErrors& errors) {
  std::set<std::string> made;  // Claims of ephemeral volumes.
  for (const Volume& volume : volumes)
    if (std::string claim = made_claim(volume, pod_name); !claim.empty()) made.insert(std::move(claim));
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < volumes.size() && !errors.is_full(); ++i) {
    const Volume& volume = volumes[i];
    const std::string at = element(path, i);
    const std::size_t before = errors.count();
    check_volume(volume, pod_name, !names.contains(volume.name), at, errors);
    if (errors.count() == before) names.insert(volume.name);
    if (volume.source == VolumeSource::kPersistentVolumeClaim && made.contains(volume.id))
      errors.invalid(claim_path(at), volume.id,
                     "must not reference a PVC that gets created for an ephemeral volume");
  }
}

}  // namespace winnow
