#include "cluster/devices/plan.h"

#include <algorithm>
#include <format>
#include <utility>

namespace winnow {
namespace {

/// Makes a claim ready.
class Planner {
 public:
  Planner(const ResourceClaim& claim, FindDeviceClass find_class, DeviceCache& cache)
      : claim_(claim), find_class_(find_class), cache_(cache) {}

  PlannedClaim plan() {
    PlannedClaim planned{.claim = &claim_};
    for (const ClaimRequest& request : claim_.spec.requests) {
      const auto first = static_cast<std::uint32_t>(planned.planned.size());
      const bool has_alternatives = !request.first_available.empty();
      if (has_alternatives)
        for (const DeviceSubRequest& alternative : request.first_available)
          planned.planned.push_back(plan_request(request, &alternative));
      else
        planned.planned.push_back(plan_request(request, nullptr));
      const auto count = static_cast<std::uint32_t>(planned.planned.size()) - first;
      planned.requests.push_back({first, count, has_alternatives});
    }
    plan_constraints(planned);
    return planned;
  }

 private:
  /// Upstream: validateDeviceRequest.
  PlannedRequest plan_request(const ClaimRequest& request, const DeviceSubRequest* alternative) {
    PlannedRequest planned{.request = &request, .alternative = alternative};
    planned.error = read(planned);
    if (!planned.error.empty()) {
      planned.error =
          std::format("claim {}, request {}{}", key_of(claim_.metadata), planned.name(), planned.error);
      return planned;
    }
    planned.body = body_of(planned);
    for (std::size_t i = 0; i < claim_.spec.constraints.size(); ++i)
      if (applies(claim_.spec.constraints[i], planned))
        planned.constraints.push_back(static_cast<std::uint32_t>(i));
    return planned;
  }

  static const DeviceRequestBody* body_of(const PlannedRequest& planned) {
    if (planned.alternative != nullptr) return &planned.alternative->body;
    return planned.request->exactly ? &*planned.request->exactly : nullptr;
  }

  /// @return what is wrong, or "".
  std::string read(PlannedRequest& planned) {
    static constexpr const char* kNoClass = ": missing device class name (unsupported request type?)";
    const DeviceRequestBody* body = body_of(planned);
    if (body == nullptr) return kNoClass;
    if (body->has_derived_attributes)
      return ": cannot handle request with derived attributes, the feature is disabled";
    for (std::size_t i = 0; i < body->selectors.size(); ++i)
      if (!body->selectors[i])
        return std::format(", selector #{}: CEL expression empty (unsupported selector type?)", i);
    if (body->device_class_name.empty()) return kNoClass;
    const DeviceClass* found = find_class_(body->device_class_name);
    if (found == nullptr)
      return std::format(
          ": could not retrieve device class {0}: deviceclass.resource.k8s.io \"{0}\" not found",
          body->device_class_name);
    planned.class_name = found->metadata.name;
    add_selectors(planned, found->selectors, true);
    add_selectors(planned, body->selectors, false);
    planned.takes_all = body->allocation_mode == "All";
    if (!planned.takes_all && body->allocation_mode != "ExactCount")
      return ": unsupported count mode " + body->allocation_mode;
    planned.count = body->count;
    planned.admin_access = planned.alternative == nullptr && body->admin_access.value_or(false);
    return "";
  }

  void add_selectors(PlannedRequest& planned, const std::vector<DeviceSelector>& selectors, bool of_class) {
    // Upstream takes no care of a class whose selector has no expression; an empty one does not compile.
    for (std::size_t i = 0; i < selectors.size(); ++i)
      planned.selectors.push_back({cache_.selector(selectors[i].value_or("")), of_class, i});
  }

  /// Upstream: matches of the constraints.
  static bool applies(const DeviceConstraint& constraint, const PlannedRequest& planned) {
    if (constraint.requests.empty()) return true;
    const auto has = [&](const std::string& name) {
      return std::ranges::find(constraint.requests, name) != constraint.requests.end();
    };
    return has(planned.request->name) || (planned.alternative != nullptr && has(planned.full_name()));
  }

  void plan_constraints(PlannedClaim& planned) {
    for (std::size_t i = 0; i < claim_.spec.constraints.size(); ++i) {
      const DeviceConstraint& constraint = claim_.spec.constraints[i];
      const auto& attribute =
          constraint.match_attribute ? constraint.match_attribute : constraint.distinct_attribute;
      if (!attribute) {
        planned.constraint_error =
            std::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                        key_of(claim_.metadata), i);
        return;
      }
      planned.constraints.push_back({cache_.attribute(*attribute), !constraint.match_attribute});
    }
  }

  const ResourceClaim& claim_;
  FindDeviceClass find_class_;
  DeviceCache& cache_;
};

}  // namespace

std::string PlannedRequest::full_name() const {
  return alternative == nullptr ? request->name : request->name + "/" + alternative->name;
}

std::vector<PlannedClaim> plan_claims(std::span<const ResourceClaim* const> claims,
                                      FindDeviceClass find_class, DeviceCache& cache) {
  std::vector<PlannedClaim> planned;
  std::uint32_t first = 0;
  for (const ResourceClaim* claim : claims) {
    planned.push_back(Planner(*claim, find_class, cache).plan());
    planned.back().first = first;
    first += static_cast<std::uint32_t>(planned.back().planned.size());
  }
  return planned;
}

}  // namespace winnow
