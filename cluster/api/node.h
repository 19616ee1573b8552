// The Node and the classes of its devices, with the fields that rules read.
#pragma once

#include <cstdint>
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

  bool operator==(const Node&) const = default;
};

/// A class of devices that nodes have, of dynamic resource allocation.
struct DeviceClass {
  ObjectMeta metadata;
  std::string extended_resource_name;  ///< The resource that its devices provide; "" if absent.

  bool operator==(const DeviceClass&) const = default;
};

}  // namespace winnow
