// What a resource's name says about it.
// Upstream: kubernetes v1.16.15, pkg/apis/core/v1/helper/helpers.go; v1.37.0 answers the same
// (pkg/scheduler/util/utils.go has IsScalarResourceName there).
#pragma once

#include <string_view>

namespace winnow {

/// In the kubernetes.io/ namespace: "kubernetes.io/" stands anywhere in the name.
bool is_prefixed_native(std::string_view name);
/// As above, or without any prefix ("cpu").
bool is_native_resource(std::string_view name);
/// A name of somebody's own ("example.com/gpu"): qualified, and still so behind "requests.".
bool is_extended_resource(std::string_view name);
/// "hugepages-…".
bool is_hugepage(std::string_view name);
/// "attachable-volumes-…".
bool is_attachable_volume(std::string_view name);
/// Whether a node accounts for it among its scalar resources: any of the four above except plain native.
bool is_scalar_resource(std::string_view name);

}  // namespace winnow
