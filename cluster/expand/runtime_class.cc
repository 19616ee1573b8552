#include "cluster/expand/runtime_class.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/workload.h"

namespace winnow {
namespace {

/// Whether `wide` tolerates all that `one` does. An operator that is not written means Equal in `wide` alone.
/// Upstream: pkg/util/tolerations/tolerations.go isSuperset v1.37.0.
bool covers(const Toleration& wide, const Toleration& one) {
  if (wide == one) return true;
  const bool takes_every_key = wide.key.empty() && wide.op == "Exists";
  if (one.key != wide.key && !takes_every_key) return false;
  if (!wide.effect.empty() && one.effect != wide.effect) return false;
  if (wide.effect == "NoExecute" && wide.toleration_seconds &&
      (!one.toleration_seconds || *one.toleration_seconds > *wide.toleration_seconds))
    return false;
  if (wide.op == "Exists") return true;
  return (wide.op.empty() || wide.op == "Equal") && one.op == "Equal" && one.value == wide.value;
}

/// Leaves out what another toleration covers. Of equal ones the first stays.
/// Upstream: tolerations.go MergeTolerations.
std::vector<Toleration> without_covered(const std::vector<Toleration>& all) {
  std::vector<Toleration> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Toleration& one = all[i];
    const auto covers_one = [&](const Toleration& other) { return covers(other, one); };
    const auto replaces_one = [&](const Toleration& later) { return later != one && covers(later, one); };
    const auto behind = all.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (!std::ranges::any_of(kept, covers_one) && !std::any_of(behind, all.end(), replaces_one))
      kept.push_back(one);
  }
  return kept;
}

/// Upstream: setOverhead.
std::string set_overhead(const ResourceList& overhead, PodSpec& spec) {
  if (spec.overhead && !spec.overhead->empty() && *spec.overhead != overhead)
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  // An API server rounds what it reads of a stored pod, and a class has no defaults.
  ResourceList rounded = overhead;
  for (auto& [name, amount] : rounded) amount.round_up_to_millis();
  spec.overhead = rounded.empty() ? std::nullopt : std::optional(std::move(rounded));
  return "";
}

/// Upstream: setScheduling.
std::string set_scheduling(const RuntimeClass::Scheduling& scheduling, PodSpec& spec) {
  for (const auto& [key, value] : scheduling.node_selector) {
    const auto [of_pod, is_new] = spec.node_selector.emplace(key, value);
    if (!is_new && of_pod->second != value)
      return std::format(
          "conflict: runtimeClass.scheduling.nodeSelector[{}] = {}; pod.spec.nodeSelector[{}] = {}", key,
          value, key, of_pod->second);
  }
  std::vector<Toleration> all = std::move(spec.tolerations);
  all.insert(all.end(), scheduling.tolerations.begin(), scheduling.tolerations.end());
  spec.tolerations = without_covered(all);
  return "";
}

}  // namespace

std::string apply_runtime_class(const RuntimeClass& runtime_class, Pod& pod) {
  if (runtime_class.overhead)
    if (std::string why = set_overhead(*runtime_class.overhead, pod.spec); !why.empty()) return why;
  return runtime_class.scheduling ? set_scheduling(*runtime_class.scheduling, pod.spec) : "";
}

}  // namespace winnow
