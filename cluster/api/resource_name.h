// Names of resources, and the kinds that they tell apart.
// Upstream: kubernetes v1.16.15, pkg/apis/core/v1/helper/helpers.go; v1.37.0 answers the same
// (pkg/scheduler/util/utils.go has IsScalarResourceName there).
#pragma once

#include <string_view>

namespace winnow {

/// Whether the name contains "kubernetes.io/", at any place.
bool is_prefixed_native(std::string_view name);
/// Whether the name is a prefixed native one, or has no prefix at all ("cpu").
bool is_native_resource(std::string_view name);
/// Whether the name is an extended resource ("example.com/gpu"): not native, not beginning with "requests.",
/// and a qualified name with "requests." in front.
bool is_extended_resource(std::string_view name);
/// Whether the name is "hugepages-…".
bool is_hugepage(std::string_view name);
/// Whether the name is "attachable-volumes-…".
bool is_attachable_volume(std::string_view name);
/// Whether a node counts the resource among its scalar resources: it is extended, prefixed native, a huge
/// page or an attachable volume.
bool is_scalar_resource(std::string_view name);

}  // namespace winnow
