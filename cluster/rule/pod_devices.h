// The devices that a pod needs: its claims, and the resources of its containers that devices provide.
//
// It is what DynamicResources computes, as a filter and as a score. kube-scheduler reserves the devices and
// writes the claims.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/devices/allocator.h"
#include "cluster/mutex.h"
#include "cluster/rule/node_matcher.h"
#include "cluster/rule/rule.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/view.h"

namespace winnow {

class State;
struct Cause;

/// Whether claims, slices and classes are known. Without, no pod is judged by its devices.
bool knows_devices(const State& state);

/// Why the plugin's PreFilter refuses a pod, or fails.
struct DeviceRefusal {
  Fit fit = Fit::kUnresolvable;
  std::string reason;  ///< In upstream's words.
  // The same as a cause.
  std::string claim = {};  ///< "NAMESPACE/NAME", or the entry of spec.resourceClaims; "": it is no claim's.
  std::string why = {};    ///< "is not there"
};

/// A node selector of a claim, a slice or a device, evaluated on columns.
/// Upstream: component-helpers v0.37.2 scheduling/corev1/nodeaffinity NewNodeSelector.
class DeviceNodes {
 public:
  /// The view must outlive the object.
  DeviceNodes(const View& view, const NodeSelector& selector);
  bool matches(NodeId node) const {
    return std::ranges::any_of(terms_, [node](const NodeMatcher& term) { return term.matches(node); });
  }

 private:
  std::vector<NodeMatcher> terms_;  ///< ORed.
};

/// What one node can give.
struct NodeDevices {
  Fit fit = Fit::kFits;
  std::string reason;      ///< In upstream's words; "" where the pod fits.
  std::int64_t score = 0;  ///< The raw score of a node that fits. Upstream: computeScore.
};

/// The claims of one pod, bound to a request. Upstream: pkg/scheduler/framework/plugins/dynamicresources
/// dynamicresources.go PreFilter, Filter and Score, extendeddynamicresources.go v1.37.2, at the default
/// gates.
class PodDevices {
 public:
  /// What the request refers to outlives the result. Null: the plugin skips the pod, or devices are not
  /// known.
  static std::expected<std::unique_ptr<const PodDevices>, DeviceRefusal> of(const Request& request,
                                                                            const DynamicResourcesArgs& args);

  /// The verdict on one node of the request. Any thread may ask. Throws OutOfTime when the request's time is
  /// over.
  NodeDevices judge(NodeId node) const;
  /// The devices that the pod would get on a node that fits: an allocation for each of to_allocate(), in
  /// order. Nothing on a node that does not fit.
  std::optional<std::vector<DeviceAllocation>> allocate(NodeId node) const;

  /// Adds why the node lacks devices: "devices" for each request without, and "device" and "pool" for what
  /// excludes them. For a node that does not fit.
  void explain(NodeId node, std::vector<Cause>& causes) const;

  /// The claims without an allocation, in the pod's order. The last one may be that of extended resources,
  /// whose name is kExtendedResourceClaim; its requests differ by node.
  const std::vector<const ResourceClaim*>& to_allocate() const { return to_allocate_; }
  /// All claims, in the pod's order.
  const std::vector<const ResourceClaim*>& all() const { return all_; }
  /// Whether a request has alternatives. Otherwise every node's score is 0.
  bool has_alternatives() const;

 private:
  struct ExtendedResource {
    std::string name;
    std::int64_t amount = 0;
    std::string device_class;  ///< "": no class provides it.
    ScalarColumns columns;
  };
  /// The claims for the nodes that need devices for the same extended resources.
  struct Variant {
    std::uint64_t needed = 0;  ///< One bit for each extended resource.
    ResourceClaim extended;    ///< Their claim.
    std::vector<const ResourceClaim*> claims;
    std::optional<DeviceAllocator> allocator;
  };
  /// A claim with an allocation.
  struct Allocated {
    const ResourceClaim* claim = nullptr;
    std::optional<DeviceNodes> nodes;  ///< Nothing: every node.
    bool is_lost = false;              ///< Its binding has failed, or has taken too long: it is on no node.
    bool skips_operations = false;     ///< The node must declare kOptionalNodeOperations.
  };
  /// A node selector of slices or devices, and what is wrong with it.
  struct SliceSelector {
    DeviceNodes nodes;
    std::string error;
  };

  PodDevices(const Request& request, const DynamicResourcesArgs& args)
      : request_(request), args_(args), features_(request.view.column(&NodeTable::features)) {}
  std::optional<DeviceRefusal> read_claims();
  std::optional<DeviceRefusal> read_extended_resources();
  std::optional<DeviceRefusal> check(const ResourceClaim& claim);
  std::optional<DeviceRefusal> check_requests(const ResourceClaim& claim) const;
  std::optional<DeviceRefusal> check_assumed(const ResourceClaim& claim);
  /// Whether all that is to be allocated is assumed for this pod, on the node.
  bool keeps_assumed(NodeId node) const;
  bool is_lost(const ResourceClaim& claim) const;
  bool is_available(const Allocated& claim, NodeId node) const;
  void read_slice_selectors();
  void add_selector(const std::optional<NodeSelector>& selector);
  void make_variants();

  std::uint64_t needed_on(NodeId node) const;
  bool offers(NodeId node, const std::string& resource) const;
  const Variant& variant_of(NodeId node) const;
  NodeDevices judge_claims(NodeId node) const;
  /// The drivers that have devices of the class anywhere. Thread-safe.
  const std::set<std::string, std::less<>>& drivers_of(const std::string& class_name) const;
  /// A selector's expression; "" if there is none. @param index  in the class, or in the request.
  std::string selector_of(const ResourceClaim& claim, const std::string& request,
                          const std::string& alternative, bool of_class, std::size_t index) const;
  std::expected<bool, std::string> matches(const NodeSelector& selector, NodeId node) const;

  friend class DeviceCauses;
  const Request request_;
  const DynamicResourcesArgs args_;
  std::vector<const ResourceClaim*> all_;
  std::vector<const ResourceClaim*> to_allocate_;
  std::vector<Allocated> allocated_;
  std::int64_t allocated_score_ = 0;     ///< The part of the score of the allocated claims.
  std::vector<const Holding*> assumed_;  ///< For this pod, of to_allocate_.
  NodeId assumed_node_ = kNone;
  std::int64_t assumed_score_ = 0;
  std::vector<ExtendedResource> extended_;
  ResourceClaim special_;  ///< The claim of extended resources, where the API has none.
  const ResourceClaim* special_claim_ = nullptr;  ///< Null: there is none.
  bool special_is_old_ = false;                   ///< An earlier attempt has written it.
  std::unordered_map<const NodeSelector*, SliceSelector> selectors_;
  const Column<std::uint8_t> features_;
  std::vector<std::unique_ptr<Variant>> variants_;
  mutable Mutex mutex_;
  mutable std::map<std::string, std::set<std::string, std::less<>>> drivers_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow
