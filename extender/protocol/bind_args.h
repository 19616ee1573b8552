// What kube-scheduler sends to bind a pod: ExtenderBindingArgs.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cluster/servers/binder.h"

namespace winnow {

/// Reads the body: keys in any case, the last of equal ones wins, unknown keys are skipped. @return the
/// binding, or what is wrong in one line; only the UID may be absent.
std::expected<live::Binding, std::string> read_binding(std::string_view body);

}  // namespace winnow
