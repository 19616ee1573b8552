// The names of resources, and the classes of resources that a name tells apart.
// Upstream: kubernetes v1.16.15, pkg/apis/core/v1/helper/helpers.go. v1.37.0 gives the same answers (there
// IsScalarResourceName is in pkg/scheduler/util/utils.go).
#pragma once

#include <string_view>

namespace winnow {

/// Whether the name contains "kubernetes.io/", at any place.
bool is_prefixed_native(std::string_view name);
/// Whether the name is a prefixed native one, or has no prefix at all ("cpu").
bool is_native_resource(std::string_view name);
/// Whether the name is an extended resource ("example.com/gpu"). Such a name is not native and does not begin
/// with "requests.". With "requests." in front it is a qualified name.
bool is_extended_resource(std::string_view name);
/// Whether the name is "hugepages-…".
bool is_hugepage(std::string_view name);
/// Whether the name is "attachable-volumes-…".
bool is_attachable_volume(std::string_view name);
/// Whether a node counts the resource among its scalar resources. These are extended, prefixed native, huge
/// page and attachable volume resources.
bool is_scalar_resource(std::string_view name);

}  // namespace winnow
