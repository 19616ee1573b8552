// The body of a bind call: ExtenderBindingArgs.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cluster/servers/binder.h"

namespace winnow {

/// Reads the body. Keys match in any case, the last of equal keys counts, and unknown keys are skipped.
/// The names become parts of a path at the API server, so each must be a valid Kubernetes name.
/// @return the binding, or one line that says what is wrong. Only the UID may be absent.
std::expected<live::Binding, std::string> read_binding(std::string_view body);

}  // namespace winnow
