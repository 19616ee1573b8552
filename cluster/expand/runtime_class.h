// Internal: a RuntimeClass, applied to a new pod. Only .cc files include this.
// Upstream: plugin/pkg/admission/runtimeclass/admission.go v1.37.0.
#pragma once

#include <string>

namespace winnow {

struct Pod;
struct RuntimeClass;

/// Gives the pod the overhead, the nodeSelector and the tolerations of the class.
/// @return why the pod is refused, in upstream's words: it has another overhead, or another value of a key of
///   the nodeSelector; "" if it is not. Of several keys the first is told, where upstream's order is chance.
std::string apply_runtime_class(const RuntimeClass& runtime_class, Pod& pod);

}  // namespace winnow
