// What tells pods apart between calls.
#pragma once

#include <string>

#include "cluster/api/pod.h"

namespace winnow {

/// The pod's UID, or its namespace and name where it has none.
inline std::string pod_key_of(const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  return metadata.uid.empty() ? metadata.namespace_ + '/' + metadata.name : metadata.uid;
}

/// The pod's namespace and name, as the log has them.
inline std::string pod_name_of(const Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

}  // namespace winnow
