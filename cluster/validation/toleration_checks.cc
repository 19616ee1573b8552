#include <algorithm>
#include <array>

#include "cluster/api/label_syntax.h"
#include "cluster/validation/pod_checks.h"

namespace winnow {
namespace {

// Gt and Lt are behind a gate that is off.
constexpr std::array<std::string_view, 2> kOperators{"Equal", "Exists"};
constexpr std::array<std::string_view, 3> kEffects{"NoExecute", "NoSchedule", "PreferNoSchedule"};

void check_operator(const Toleration& toleration, const std::string& path, FieldErrors& errors) {
  const std::string at = child(path, "operator");
  if (toleration.op.empty() || toleration.op == "Equal") {
    check_label_value(toleration.value, at, errors);
  } else if (toleration.op == "Exists") {
    if (!toleration.value.empty())
      errors.invalid(at, toleration.value, "value must be empty when `operator` is 'Exists'");
  } else {
    errors.unsupported(at, toleration.op, kOperators);
  }
}

}  // namespace

// Upstream: ValidateTolerations.
void check_tolerations(std::span<const Toleration> tolerations, std::string_view path, FieldErrors& errors) {
  for (std::size_t i = 0; i < tolerations.size() && !errors.is_full(); ++i) {
    const Toleration& one = tolerations[i];
    const std::string at = element(path, i);
    if (!one.key.empty()) check_label_key(one.key, child(at, "key"), errors);
    if (one.key.empty() && one.op != "Exists")
      errors.invalid(
          child(at, "operator"), one.op,
          "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    if (one.toleration_seconds && one.effect != "NoExecute")
      errors.invalid(child(at, "effect"), one.effect,
                     "effect must be 'NoExecute' when `tolerationSeconds` is set");
    check_operator(one, at, errors);
    if (!one.effect.empty() && !std::ranges::contains(kEffects, one.effect))
      errors.unsupported(child(at, "effect"), one.effect, kEffects);
  }
}

}  // namespace winnow
