// What the API server refuses of a workload, beside the fields of its pods.
#pragma once

#include <string>

#include "cluster/expand/workload.h"

namespace winnow {

/// The first error, in the API server's words: "spec.selector: Required value"; "": there is none. Numbers,
/// selectors and claim templates are checked. Pods that name their node are refused too: no scheduler sees
/// them.
/// Upstream: pkg/apis/{apps,batch,core}/validation/validation.go v1.37.0.
std::string workload_error(const Workload& workload);

}  // namespace winnow
