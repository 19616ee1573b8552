#include "cluster/rule/pod_devices.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <utility>

#include "cluster/api/node.h"
#include "cluster/api/resource_name.h"
#include "cluster/api/selector_errors.h"
#include "cluster/rule/budget.h"
#include "cluster/rule/device_requests.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

/// Upstream: FirstAvailableDeviceRequestMaxSize.
constexpr std::int64_t kMostAlternatives = 8;

DeviceRefusal unresolvable(std::string reason, std::string claim, std::string why) {
  return {Fit::kUnresolvable, std::move(reason), std::move(claim), std::move(why)};
}

/// The name of the claim of an entry of spec.resourceClaims. Upstream: resourceclaim.Name.
struct NamedClaim {
  std::optional<std::string> name;  ///< Nothing: the entry needs no claim.
  bool must_be_owned = false;       ///< It was made from a template, for this pod.
  std::string error;
};

NamedClaim named_claim(const Pod& pod, const PodResourceClaim& entry) {
  const std::string who = std::format("pod \"{}/{}\"", pod.metadata.namespace_, pod.metadata.name);
  if (entry.resource_claim_name) return {entry.resource_claim_name, false, {}};
  if (!entry.resource_claim_template_name)
    return {
        {},
        false,
        std::format("{}, spec.resourceClaim \"{}\": none of the supported fields are set", who, entry.name)};
  for (const PodResourceClaimStatus& status : pod.status.resource_claim_statuses)
    if (status.name == entry.name) return {status.resource_claim_name, true, {}};
  return {{}, false, who + ": ResourceClaim not created yet"};
}

/// Upstream: resourceclaim.IsForPod.
bool is_for(const ResourceClaim& claim, const Pod& pod) {
  const OwnerReference* const owner = controller_of(claim.metadata);
  return owner && owner->uid == pod.metadata.uid;
}

/// The score of the alternatives that an allocated claim has got. Upstream: computeScore.
std::int64_t score_of_alternatives(const ResourceClaim& claim, const DeviceAllocation& allocation) {
  std::int64_t score = 0;
  for (const ClaimRequest& request : claim.spec.requests) {
    if (request.exactly) continue;
    for (std::size_t i = 0; i < request.first_available.size(); ++i) {
      const std::string name = request.name + "/" + request.first_available[i].name;
      if (std::ranges::contains(allocation.devices, name, &AllocatedDevice::request))
        score += kMostAlternatives - static_cast<std::int64_t>(i);
    }
  }
  return score;
}

}  // namespace

DeviceNodes::DeviceNodes(const View& view, const NodeSelector& selector) {
  for (const NodeSelectorTerm& term : selector.terms) terms_.emplace_back(view, term);
}

bool knows_devices(const State& state) {
  return !state.is_unread(kind_of<ResourceClaim>) && !state.is_unread(kind_of<ResourceSlice>) &&
         !state.is_unread(kind_of<DeviceClass>);
}

std::expected<std::unique_ptr<const PodDevices>, DeviceRefusal> PodDevices::of(
    const Request& request, const DynamicResourcesArgs& args) {
  if (!knows_devices(request.view.state())) return nullptr;
  std::unique_ptr<PodDevices> devices(new PodDevices(request, args));
  if (auto refusal = devices->read_claims()) return std::unexpected(std::move(*refusal));
  if (auto refusal = devices->read_extended_resources()) return std::unexpected(std::move(*refusal));
  if (devices->all_.empty()) return nullptr;
  for (const ResourceClaim* claim : devices->all_)
    if (auto refusal = devices->check(*claim)) return std::unexpected(std::move(*refusal));
  if (!devices->to_allocate_.empty()) devices->make_variants();
  return devices;
}

// The claims of spec.resourceClaims. Upstream: foreachPodResourceClaim.
std::optional<DeviceRefusal> PodDevices::read_claims() {
  const Pod& pod = request_.pod;
  for (const PodResourceClaim& entry : pod.spec.resource_claims) {
    const NamedClaim named = named_claim(pod, entry);
    if (!named.error.empty())
      return unresolvable(named.error, entry.name,
                          entry.resource_claim_template_name ? "has not been made from its template yet"
                                                             : "names neither a claim nor a template");
    if (!named.name) continue;
    const ResourceClaim* const claim =
        request_.view.devices().find_claim(pod.metadata.namespace_, *named.name);
    if (!claim)
      return unresolvable(
          std::format("could not find ResourceClaim \"{}/{}\"", pod.metadata.namespace_, *named.name),
          key_of(pod.metadata.namespace_, *named.name), "is not there");
    if (claim->metadata.deleting)
      return unresolvable(std::format("resourceclaim \"{}\" is being deleted", claim->metadata.name),
                          key_of(claim->metadata), "is being deleted");
    if (named.must_be_owned && !is_for(*claim, pod))
      return unresolvable(std::format("ResourceClaim {} was not created for Pod {}/{} (Pod is not owner)",
                                      key_of(claim->metadata), pod.metadata.namespace_, pod.metadata.name),
                          key_of(claim->metadata), "was not made for this pod");
    all_.push_back(claim);
  }
  return std::nullopt;
}

// The resources that a class provides make one claim more. kube-scheduler may have written it before, and
// then deletes it, and begins anew. Upstream: preFilterExtendedResources.
std::optional<DeviceRefusal> PodDevices::read_extended_resources() {
  const State& state = request_.view.state();
  bool provided = false;
  for (const auto& [name, amount] :
       pod_requests(request_.pod, request_.accounting, /*with_status=*/false).scalars) {
    if (amount == 0 || !may_be_provided_by_devices(name)) continue;
    const DeviceClass* const by = device_class_of(state.objects, name);
    provided = provided || by;
    extended_.push_back({name, amount, by ? by->metadata.name : std::string(), request_.view.scalar(name)});
  }
  if (!provided) {
    extended_.clear();
    return std::nullopt;
  }
  // needed_on() has a bit for each. No real pod asks for as many.
  constexpr std::size_t kMostExtended = 64;
  if (extended_.size() > kMostExtended)
    return DeviceRefusal{Fit::kError, std::format("the pod requests {} extended resources, and devices are "
                                                  "judged for {} at most",
                                                  extended_.size(), kMostExtended)};
  const ResourceClaim* const old =
      request_.view.devices().find_extended_resource_claim(request_.pod.metadata.uid);
  special_is_old_ = old && !old->spec.requests.empty();
  special_.metadata.namespace_ = request_.pod.metadata.namespace_;
  special_.metadata.name = kExtendedResourceClaim;
  special_claim_ = old ? old : &special_;
  all_.push_back(special_claim_);
  return std::nullopt;
}

std::optional<DeviceRefusal> PodDevices::check(const ResourceClaim& claim) {
  if (claim.allocation) {
    Allocated allocated;
    allocated.claim = &claim;
    if (const auto& selector = claim.allocation->node_selector) {
      if (const auto errors = node_selector_errors(*selector); !errors.empty())
        return DeviceRefusal{Fit::kError, aggregate(errors)};
      allocated.nodes.emplace(request_.view, *selector);
    }
    allocated.is_lost = is_lost(claim);
    allocated.skips_operations =
        std::ranges::any_of(claim.allocation->devices, &AllocatedDevice::skips_node_operations);
    allocated_score_ += score_of_alternatives(claim, *claim.allocation);
    allocated_.push_back(std::move(allocated));
    return std::nullopt;
  }
  to_allocate_.push_back(&claim);
  if (auto refusal = check_assumed(claim)) return refusal;
  return &claim == special_claim_ ? std::nullopt : check_requests(claim);
}

// Devices that are assumed for this very pod stay its own, on the node for which they are.
std::optional<DeviceRefusal> PodDevices::check_assumed(const ResourceClaim& claim) {
  const std::string& pod = request_.pod.metadata.uid;
  const Holding* const assumed = request_.view.devices().assumed(
      &claim == &special_ ? extended_resource_claim_uid(pod) : claim.metadata.uid);
  if (!assumed) return std::nullopt;
  if (pod.empty() || assumed->assumed_for.pod_uid != pod)
    return unresolvable("resource claim " + key_of(claim.metadata) + " is in the process of being allocated",
                        key_of(claim.metadata), "is being allocated, for another pod");
  assumed_node_ = request_.view.find_node(assumed->assumed_for.node);
  assumed_.push_back(assumed);
  assumed_score_ += score_of_alternatives(claim, assumed->allocation);
  return std::nullopt;
}

// Upstream: the end of PreFilter's loop, and validateDeviceClass.
std::optional<DeviceRefusal> PodDevices::check_requests(const ResourceClaim& claim) const {
  const auto& classes = request_.view.state().objects.of<DeviceClass>();
  const auto check_class = [&](const std::string& name,
                               const std::string& request) -> std::optional<DeviceRefusal> {
    if (name.empty()) return DeviceRefusal{Fit::kError, "request " + request + ": unsupported request type"};
    if (classes.contains(name)) return std::nullopt;
    return unresolvable(std::format("request {}: device class {} does not exist", request, name),
                        key_of(claim.metadata), "wants devices of class " + name + ", which is not there");
  };
  for (const ClaimRequest& request : claim.spec.requests) {
    if (request.exactly) {
      if (auto refusal = check_class(request.exactly->device_class_name, request.name)) return refusal;
      continue;
    }
    if (request.first_available.empty())
      return unresolvable(std::format("resource claim {}, request {}: unknown request type",
                                      key_of(claim.metadata), request.name),
                          key_of(claim.metadata), "has a request of a type that is not known");
    for (const DeviceSubRequest& alternative : request.first_available)
      if (auto refusal =
              check_class(alternative.body.device_class_name, request.name + "/" + alternative.name))
        return refusal;
  }
  return std::nullopt;
}

// Whether the devices of an allocated claim will not come to their node: a driver reports a failure, or has
// not reported what it must within the time. Upstream: isClaimReadyForBinding and isClaimTimeout.
bool PodDevices::is_lost(const ResourceClaim& claim) const {
  enum class Binding : std::uint8_t { kReady, kWaiting, kFailed };
  const auto binding = [&] {
    for (const AllocatedDevice& device : claim.allocation->devices) {
      if (device.binding_conditions.empty()) continue;
      const auto status = std::ranges::find_if(claim.devices, [&](const AllocatedDeviceStatus& one) {
        return one.device == device.device && one.driver == device.driver && one.pool == device.pool;
      });
      if (status == claim.devices.end()) return Binding::kWaiting;
      const auto is_true = [&](const std::string& type) {
        return std::ranges::contains(status->true_conditions, type);
      };
      if (std::ranges::any_of(device.binding_failure_conditions, is_true)) return Binding::kFailed;
      if (!std::ranges::all_of(device.binding_conditions, is_true)) return Binding::kWaiting;
    }
    return Binding::kReady;
  }();
  if (binding != Binding::kWaiting) return binding == Binding::kFailed;
  if (!claim.allocation->allocated_at) return false;
  const bool binds = std::ranges::any_of(claim.allocation->devices, [](const AllocatedDevice& device) {
    return !device.binding_conditions.empty();
  });
  const auto until = std::chrono::sys_seconds(std::chrono::seconds(*claim.allocation->allocated_at)) +
                     std::chrono::nanoseconds(args_.binding_timeout_ns);
  return binds && until < std::chrono::system_clock::now();
}

// Slices and devices that are not for one node alone select their nodes.
void PodDevices::read_slice_selectors() {
  for (const DevicePool* pool : request_.view.devices().scattered_pools())
    for (const PublishedSlice* slice : pool->slices()) {
      add_selector(slice->object->node_selector);
      if (slice->scope != SliceScope::kPerDevice) continue;
      for (const Device& device : slice->object->devices) add_selector(device.node_selector);
    }
}

void PodDevices::add_selector(const std::optional<NodeSelector>& selector) {
  if (!selector) return;
  selectors_.try_emplace(&*selector, DeviceNodes(request_.view, *selector),
                         aggregate(node_selector_errors(*selector)));
}

std::expected<bool, std::string> PodDevices::matches(const NodeSelector& selector, NodeId node) const {
  const SliceSelector& known = selectors_.at(&selector);
  if (!known.error.empty()) return std::unexpected(known.error);
  return known.nodes.matches(node);
}

// Which extended resources need devices differs by node, and nodes of the same kind need the same ones.
std::uint64_t PodDevices::needed_on(NodeId node) const {
  std::uint64_t needed = 0;
  for (std::size_t i = 0; i < extended_.size(); ++i)
    if (!extended_[i].device_class.empty() && extended_[i].columns.allocatable[node] == 0)
      needed |= std::uint64_t{1} << i;
  return needed;
}

void PodDevices::make_variants() {
  read_slice_selectors();
  std::vector<std::uint64_t> all;
  for (const NodeId node : request_.nodes)
    if (const std::uint64_t needed = needed_on(node); !std::ranges::contains(all, needed))
      all.push_back(needed);
  DeviceAllocator::Options options{.node_timeout = std::chrono::nanoseconds(args_.filter_timeout_ns)};
  // A search that ends before the request's time does is told as upstream tells of one that takes too long.
  if (request_.budget) {
    const auto left = request_.budget->deadline() - std::chrono::steady_clock::now();
    const std::chrono::steady_clock::duration to_answer = std::chrono::milliseconds(200);
    options.deadline = request_.budget->deadline() - std::clamp(left / 4, decltype(left)::zero(), to_answer);
  }
  const auto find_class = [&](std::string_view name) -> const DeviceClass* {
    const auto& classes = request_.view.objects().of<DeviceClass>();
    const auto found = classes.find(name);
    return found == classes.end() ? nullptr : &found->second;
  };
  for (const std::uint64_t needed : all) {
    auto made = std::make_unique<Variant>(Variant{.needed = needed, .extended = special_});
    std::vector<ExtendedResourceRequest> wanted;
    for (std::size_t i = 0; i < extended_.size(); ++i)
      if ((needed >> i & 1) != 0) wanted.push_back({extended_[i].name, extended_[i].device_class});
    made->extended.spec.requests = extended_resource_requests(request_.pod.spec, wanted);
    for (const ResourceClaim* claim : to_allocate_)
      made->claims.push_back(claim == special_claim_ ? &made->extended : claim);
    made->allocator.emplace(made->claims, request_.view.devices(), find_class, device_cache(), options);
    variants_.push_back(std::move(made));
  }
}

const PodDevices::Variant& PodDevices::variant_of(NodeId node) const {
  return **std::ranges::find(variants_, needed_on(node), [](const auto& one) { return one->needed; });
}

/// Whether the node's allocatable has the resource, be it 0.
bool PodDevices::offers(NodeId node, const std::string& resource) const {
  const Symbol symbol = request_.view.symbol(resource);
  return std::ranges::contains(request_.view.column(&NodeTable::offers)[node], symbol);
}

bool PodDevices::is_available(const Allocated& claim, NodeId node) const {
  if (claim.is_lost || (claim.nodes && !claim.nodes->matches(node))) return false;
  return !claim.skips_operations || (features_[node] & kOptionalNodeOperations) != 0;
}

NodeDevices PodDevices::judge(NodeId node) const {
  if (special_claim_) {
    // kube-scheduler deletes it, and tries again.
    if (special_is_old_) return {Fit::kUnresolvable, "cannot schedule extended resource claim"};
    for (const ExtendedResource& one : extended_)
      if (one.device_class.empty() && !offers(node, one.name))
        return {Fit::kUnresolvable, "cannot fit resource"};
    // What a device plugin serves needs no claim.
    if (all_.size() == 1 && needed_on(node) == 0) return {};
  }
  NodeDevices devices = judge_claims(node);
  const bool are_available =
      std::ranges::all_of(allocated_, [&](const Allocated& one) { return is_available(one, node); });
  if (devices.fit == Fit::kFits && !are_available)
    return {Fit::kUnresolvable, "resourceclaim not available on the node"};
  return devices;
}

NodeDevices PodDevices::judge_claims(NodeId node) const {
  if (to_allocate_.empty()) return {};
  if (keeps_assumed(node)) return {.score = allocated_score_ + assumed_score_};
  request_.check_time();
  const std::string_view name = request_.view.node_name(node);
  const auto matches_node = [&](const NodeSelector& selector) { return matches(selector, node); };
  const auto fit = variant_of(node).allocator->fits({name, matches_node});
  if (fit && !fit->fits) return {Fit::kUnresolvable, "cannot allocate all claims"};
  if (fit) return {.score = allocated_score_ + fit->alternatives_score};
  switch (fit.error().kind) {
    case AllocationError::Kind::kOnNode:
      return {Fit::kUnresolvable, fit.error().text};
    case AllocationError::Kind::kTimedOut:
      request_.check_time();
      return {Fit::kError, std::format("node {}: timed out trying to allocate devices", name)};
    case AllocationError::Kind::kFatal:
      break;
  }
  return {Fit::kError, fit.error().text};
}

std::optional<std::vector<DeviceAllocation>> PodDevices::allocate(NodeId node) const {
  if (judge(node).fit != Fit::kFits) return std::nullopt;
  if (to_allocate_.empty()) return std::vector<DeviceAllocation>();
  if (keeps_assumed(node)) {
    std::vector<DeviceAllocation> kept;
    for (const Holding* one : assumed_) kept.push_back(one->allocation);
    return kept;
  }
  const auto matches_node = [&](const NodeSelector& selector) { return matches(selector, node); };
  auto allocations = variant_of(node).allocator->allocate({request_.view.node_name(node), matches_node});
  return allocations ? std::move(*allocations) : std::nullopt;
}

bool PodDevices::keeps_assumed(NodeId node) const {
  return assumed_.size() == to_allocate_.size() && node == assumed_node_;
}

bool PodDevices::has_alternatives() const {
  return std::ranges::any_of(all_, [](const ResourceClaim* claim) {
    return std::ranges::any_of(claim->spec.requests,
                               [](const ClaimRequest& request) { return !request.first_available.empty(); });
  });
}

}  // namespace winnow
