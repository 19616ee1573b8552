// What an event of the watch tells of a waiting pod, as far as its nomination depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

/// The facts of one event about a pod.
struct PodFacts {
  std::string ns, name, uid;
  std::string resource_version;
  std::uint64_t version = 0;  ///< The same as a number; 0: unknown.
  std::int32_t priority = 0;
  std::string scheduler;  ///< Its schedulerName; "": the default one.
  std::vector<std::string> gates;
  bool has_resource_claims = false;
  bool in_pod_group = false;
  std::string node;                     ///< Where it is bound; "": nowhere.
  std::string nominated;                ///< Its status.nominatedNodeName.
  bool nominated_by_winnow = false;     ///< By its managedFields.
  std::optional<PodCondition> refused;  ///< Its PodScheduled=False: kube-scheduler has given it up. Not the
                                        ///< condition that scheduling gates make.
  bool over = false;                    ///< It is being deleted, or has ended.
  std::size_t rules_hash = 0;           ///< Of what rules read of it; gates are left out.

  /// The pod as the log names it: NAMESPACE/NAME.
  std::string pod() const { return ns + '/' + name; }
};

PodFacts facts_of(const Pod& pod);

/// Whether the pod waits for a node: it has none, is not being deleted, and has not begun.
bool waits_for_node(const Pod& pod);

}  // namespace winnow
