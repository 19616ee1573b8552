#include <algorithm>
#include <array>
#include <format>
#include <set>

#include "cluster/api/object_name.h"
#include "cluster/validation/pod_checks.h"

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

}  // namespace winnow
