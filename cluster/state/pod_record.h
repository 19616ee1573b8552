// A pod as the state keeps it.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/state/indexes/pod_groups.h"
#include "cluster/state/indexes/pod_terms.h"

namespace winnow {

/// Ids of removed pods are used again.
using PodId = std::uint32_t;

/// What many pods share is interned, and named here by its id.
struct PodRecord {
  std::string name;  ///< "" for a free record.
  std::string uid;
  std::uint64_t resource_version = 0;  ///< As a number; 0: none, or not one.
  GroupId group = kNone;               ///< Namespace, labels, deleting.
  std::uint32_t spec = kNone;          ///< Of State::spec(); without the node's name.
  std::uint32_t footprint = kNone;     ///< Of State::footprint().
  TermListId terms = kNone;            ///< In State::terms.
  std::uint32_t owner = kNone;         ///< The controller, if any.
  NodeId node = kNone;                 ///< kNone: pending, or on a node that the state does not know.
  std::uint32_t slot = 0;              ///< Its place in the list of its node's pods.
  bool assigned = false;               ///< spec.nodeName is set.
};

}  // namespace winnow
