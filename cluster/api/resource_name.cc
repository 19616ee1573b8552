#include "cluster/api/resource_name.h"

#include <string>

#include "cluster/api/selector.h"

namespace winnow {

bool is_prefixed_native(std::string_view name) { return name.contains("kubernetes.io/"); }

bool is_native_resource(std::string_view name) { return !name.contains('/') || is_prefixed_native(name); }

bool is_extended_resource(std::string_view name) {
  constexpr std::string_view kQuotaPrefix = "requests.";
  if (is_native_resource(name) || name.starts_with(kQuotaPrefix)) return false;
  // The prefix counts for the length limit, so a name near the limit is no extended resource.
  return is_qualified_name(std::string(kQuotaPrefix).append(name));
}

bool is_hugepage(std::string_view name) { return name.starts_with("hugepages-"); }

bool is_attachable_volume(std::string_view name) { return name.starts_with("attachable-volumes-"); }

bool is_scalar_resource(std::string_view name) {
  return is_extended_resource(name) || is_hugepage(name) || is_prefixed_native(name) ||
         is_attachable_volume(name);
}

}  // namespace winnow
