// What an expression reads of the pod, the nodes and the cluster.
#pragma once

#include <string>
#include <vector>

#include "cluster/cel/ast.h"

namespace winnow::expressions {

/// Fields are JSON Pointers of fields that decoders keep; see cluster/api/wanted_fields.h.
struct Reads {
  std::vector<std::string> pod_fields;
  std::vector<std::string> node_fields;
  bool of_node = false;  ///< The node, or its domains: a value for each node.
  bool node = false;     ///< Something of the node, beside its fields.
  bool pods = false;     ///< What the pods on the node change: how many they are, or what they request.
  bool images = false;   ///< node.images, and with it on how many nodes an image is.
  bool offers = false;   ///< Which resources some node offers: node.requested has those alone.
  bool cluster = false;  ///< Other nodes, or what domains and the cluster sum up.
  bool usage = false;    ///< node.usage
  bool age = false;      ///< node.usage.age, which time changes.
  bool metrics = false;  ///< node.metrics
  bool now = false;
  bool requests = false;  ///< pod.requests
  /// The values that it selects from variables by constant keys, as expressions: `node.requested.cpu`. Each
  /// once, in the order of the text. Those of loops' variables are left out.
  std::vector<std::string> paths;

  /// Whether its value depends on one node's row and on parameters alone: neither on the pod, nor on other
  /// nodes or the time.
  bool of_row_alone() const;
  /// Whether it reads something of the pod.
  bool pod() const { return requests || !pod_fields.empty(); }
  /// Whether it reads what is measured of nodes.
  bool load() const { return usage || metrics; }
  Reads& operator+=(const Reads& other);
  bool operator==(const Reads&) const = default;
};

/// @param expr  checked.
Reads reads_of(const cel::Expr& expr);

}  // namespace winnow::expressions
