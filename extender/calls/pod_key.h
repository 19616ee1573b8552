// Keys and names of pods.
#pragma once

#include <string>

#include "cluster/api/pod.h"

namespace winnow {

/// The key of a pod between calls: its UID, or NAMESPACE/NAME where it has none.
inline std::string pod_key_of(const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  return metadata.uid.empty() ? metadata.namespace_ + '/' + metadata.name : metadata.uid;
}

/// The pod as the log names it: NAMESPACE/NAME.
inline std::string pod_name_of(const Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

}  // namespace winnow
