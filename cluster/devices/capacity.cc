#include "cluster/devices/capacity.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "cluster/go_math.h"

namespace winnow {
namespace {

using Result = std::expected<Quantity, std::string>;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kNotRepresentable =
    "capacity request cannot be represented in the device's range arithmetic";

std::unexpected<std::string> not_representable(std::string_view what) {
  return std::unexpected(std::format("{}: {}", kNotRepresentable, what));
}

/// The amount for people, however large it is.
std::string amount_text(const Quantity& amount) {
  if (amount <= Quantity::of_units(kMost)) return quantity_text(amount);
  // "10e18" is written "10E".
  std::string text = amount.exact_text();
  if (const std::size_t nanos = text.find("000000000e-9"); nanos != std::string::npos) text.resize(nanos);
  if (text.ends_with("e18")) return text.replace(text.size() - 3, 3, "E");
  return text;
}

/// How many steps from `from` reach `to`, rounded up. @param step  not 0.
std::int64_t steps_between(std::int64_t from, std::int64_t to, std::int64_t step) {
  const std::int64_t distance = wrap_subtract(to, from);
  const std::int64_t steps = wrap_divide(distance, step);
  return wrap_multiply(steps, step) == distance ? steps : steps + 1;
}

Result round_up_in_units(const Quantity& wanted, const CapacityRequestPolicy& policy) {
  if (wanted > Quantity::of_units(kMost))
    return not_representable(std::format("request {} exceeds MaxInt64", amount_text(wanted)));
  const std::int64_t step = policy.range_step->value();
  const std::int64_t least = policy.range_min->value();
  // Upstream's program ends here. An API server has no such range.
  if (step == 0) return std::unexpected("runtime error: integer divide by zero");
  const std::int64_t steps = steps_between(least, wanted.value(), step);
  if (least >= 0 && steps > wrap_divide(kMost - least, step))
    return not_representable(
        std::format("rounding request {} up to the next step passes MaxInt64", amount_text(wanted)));
  return Quantity::of_units(wrap_add(least, wrap_multiply(step, steps)));
}

/// Upstream: roundUpRange. DRAFractionalCapacityRange is off by default: amounts are whole.
Result round_up_to_range(const Quantity& wanted, const CapacityRequestPolicy& policy) {
  if (wanted < *policy.range_min) return *policy.range_min;
  if (!policy.range_step) return wanted;
  return round_up_in_units(wanted, policy);
}

/// Upstream: calculateConsumedCapacity.
Result share_of(const DeviceCapacity& capacity, const Quantity* wanted) {
  const auto& policy = capacity.request_policy;
  if (wanted == nullptr) return policy && policy->default_ ? *policy->default_ : capacity.value;
  if (!policy) return *wanted;
  if (policy->has_range && policy->range_min) return round_up_to_range(*wanted, *policy);
  const auto value =
      std::ranges::find_if(policy->valid_values, [&](const Quantity& one) { return *wanted <= one; });
  return value == policy->valid_values.end() ? *wanted : *value;
}

/// Upstream: violateValidRange.
bool is_out_of_range(const Quantity& amount, const CapacityRequestPolicy& policy) {
  if (policy.range_max && amount > *policy.range_max) return true;
  if (!policy.range_step) return false;
  const Quantity least = policy.range_min.value_or(Quantity());
  const std::int64_t step = policy.range_step->value();
  const std::int64_t distance = wrap_subtract(amount.value(), least.value());
  return step == 0 || wrap_multiply(wrap_divide(distance, step), step) != distance;
}

/// Upstream: violatesPolicy. It compares with the default as Go compares structs: amounts that are kept as
/// big decimals differ.
bool violates(const Quantity& amount, const std::optional<CapacityRequestPolicy>& policy) {
  if (!policy) return false;
  if (policy->default_ && amount == *policy->default_ && amount.is_scaled()) return false;
  if (policy->has_range) return is_out_of_range(amount, *policy);
  return !policy->valid_values.empty() &&
         std::ranges::find(policy->valid_values, amount) == policy->valid_values.end();
}

const Quantity* find_request(const ResourceList* requests, const std::string& name) {
  if (requests == nullptr) return nullptr;
  const auto found = requests->find(name);
  return found == requests->end() ? nullptr : &found->second;
}

}  // namespace

std::expected<CapacityShare, std::string> capacity_share(const DeviceCapacities& capacities,
                                                         const ResourceList* requests) {
  CapacityShare share;
  share.reserve(capacities.size());
  for (const auto& [name, capacity] : capacities) {
    auto taken = share_of(capacity, find_request(requests, name));
    if (taken && *taken < Quantity()) taken = std::unexpected("capacity value is negative");
    if (!taken) return std::unexpected(std::format("capacity \"{}\": {}", name, taken.error()));
    share.push_back(*taken);
  }
  return share;
}

std::expected<CapacityShortage, std::string> find_shortage(const CapacityQuestion& question) {
  using Shortage = CapacityShortage::Kind;
  if (question.requests != nullptr)
    for (const auto& [name, amount] : *question.requests)
      if (!question.capacities.contains(name)) return CapacityShortage{Shortage::kMissing, name, amount, {}};
  const auto share = capacity_share(question.capacities, question.requests);
  if (!share) return std::unexpected(share.error());
  std::size_t index = 0;
  for (const auto& [name, capacity] : question.capacities) {
    const Quantity& want = (*share)[index];
    if (violates(want, capacity.request_policy))
      return CapacityShortage{Shortage::kPolicy, name, want, capacity.value};
    Quantity sum = want;
    Quantity have = capacity.value;
    const auto add = [&](const Quantity& amount) {
      sum += amount;
      have -= amount;
    };
    if (question.taken != nullptr)
      if (const auto taken = question.taken->find(name); taken != question.taken->end()) add(taken->second);
    if (question.allocating != nullptr) add((*question.allocating)[index]);
    if (sum > capacity.value) return CapacityShortage{Shortage::kExhausted, name, want, have};
    ++index;
  }
  return CapacityShortage{};
}

}  // namespace winnow
