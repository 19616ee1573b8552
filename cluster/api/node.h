// The Node and its declared features, with the fields that rules read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  bool operator==(const Taint&) const = default;
  auto operator<=>(const Taint&) const = default;
};

struct NodeCondition {
  std::string type;
  std::string status;

  bool operator==(const NodeCondition&) const = default;
};

struct ContainerImage {
  std::vector<std::string> names;
  std::int64_t size_bytes = 0;

  bool operator==(const ContainerImage&) const = default;
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;

  bool operator==(const NodeSpec&) const = default;
};

struct NodeStatus {
  ResourceList allocatable;
  ResourceList capacity;
  std::vector<NodeCondition> conditions;
  std::vector<ContainerImage> images;
  std::vector<std::string> declared_features;

  bool operator==(const NodeStatus&) const = default;
};

/// A controller that a node asks not to place pods of.
struct AvoidedController {
  std::string kind;
  std::string uid;

  bool operator==(const AvoidedController&) const = default;
};

struct Node {
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
  /// The annotation scheduler.alpha.kubernetes.io/preferAvoidPods. An unreadable one counts as empty.
  std::vector<AvoidedController> prefer_avoid_pods;
  std::string fields = {};  ///< What users' expressions read of it, as JSON; see wanted_fields.h.

  bool operator==(const Node&) const = default;
};

// Declared features: those that nodes declare in status.declaredFeatures, and that some pods need.
// Upstream: component-helpers v0.37.0 nodedeclaredfeatures (framework.go, featureset.go, features/).

/// The features that decide on which nodes a pod may run, one bit each. Upstream has more, which matter only
/// when a pod is updated.
enum DeclaredFeature : std::uint8_t {
  kRestartAllContainers = 1 << 0,       ///< RestartAllContainersOnContainerExits
  kUserNamespacesHostNetwork = 1 << 1,  ///< UserNamespacesHostNetworkSupport
  kVolumeBindMountOptions = 1 << 2,     ///< VolumeBindMountOptions
  /// DRAOptionalNodeOperations: some allocated devices need it. It is found wherever it stands in the list.
  kOptionalNodeOperations = 1 << 3,
};

/// The DeclaredFeature bits of `node.status.declaredFeatures`. Like upstream, this assumes a sorted list: a
/// name that comes after a greater one is not found.
std::uint8_t declared_features(std::span<const std::string> names);

/// The names of these bits, sorted: declared_features(feature_names(bits)) is `bits`.
std::vector<std::string> feature_names(std::uint8_t bits);

/// The DeclaredFeature bits that a pod needs from its node.
std::uint8_t needed_features(const PodSpec& pod);

}  // namespace winnow
