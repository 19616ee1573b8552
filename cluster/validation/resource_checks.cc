#include <algorithm>
#include <array>
#include <format>

#include "cluster/api/label_syntax.h"
#include "cluster/api/resource_name.h"
#include "cluster/state/requests/request_list.h"
#include "cluster/validation/pod_checks.h"
#include "cluster/validation/quantity_text.h"

namespace winnow {
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

}  // namespace winnow
