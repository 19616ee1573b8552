// The record of a pod: the parts that the state keeps.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "cluster/state/indexes/pod_groups.h"
#include "cluster/state/indexes/pod_terms.h"

namespace winnow {

/// An index of State::pod(). Ids of removed pods are used again.
using PodId = std::uint32_t;

/// The start time of a pod that has not started: later than any other. Upstream takes the present for it.
inline constexpr std::int64_t kNotStarted = std::numeric_limits<std::int64_t>::max();

/// A pod of the state. Values that many pods share are interned, and the record has their ids.
struct PodRecord {
  std::string name;  ///< "" in a free record.
  std::string uid;
  std::uint64_t resource_version = 0;     ///< As a number; 0: none, or not a number.
  GroupId group = kNone;                  ///< The namespace, the labels, and whether it is being deleted.
  std::uint32_t spec = kNone;             ///< Read by State::spec(); without nodeName.
  std::uint32_t footprint = kNone;        ///< Read by State::footprint().
  TermListId terms = kNone;               ///< In State::terms.
  std::uint32_t owner = kNone;            ///< The controller; kNone without one.
  NodeId node = kNone;                    ///< kNone: pending, or on a node that the state does not know.
  std::uint32_t slot = 0;                 ///< Its index in State::pods_on(node).
  bool assigned = false;                  ///< spec.nodeName is set.
  bool preempted = false;                 ///< It is being deleted, and a preemption is the reason.
  std::int64_t start_time = kNotStarted;  ///< status.startTime, in seconds since 1970.
};

}  // namespace winnow
