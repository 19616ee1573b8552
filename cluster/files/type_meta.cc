#include "cluster/files/type_meta.h"

#include <format>
#include <string_view>

#include "cluster/text/go_quote.h"

namespace winnow {
namespace {

/// kubectl wrote Deployments, ReplicaSets and DaemonSets of this group until Kubernetes 1.15.
bool is_older_group(std::string_view group, const KindInfo& info) {
  return group == "extensions" && group_of(info.api_version) == "apps";
}

}  // namespace

bool TypeMeta::is(const KindInfo& info) const {
  return kind == info.kind &&
         (!has_group || group == group_of(info.api_version) || is_older_group(group, info));
}

bool TypeMeta::is_known_version(const KindInfo& info) const {
  const std::string_view known = info.api_version.substr(info.api_version.rfind('/') + 1);
  return !has_group || version.starts_with(std::string(known) + "alpha") ||
         version.starts_with(std::string(known) + "beta") || version == known;
}

std::string wrong_version(const TypeMeta& type, const KindInfo& info) {
  return std::format("apiVersion: {} is none of {}'s; expected {}", go_quote(type.version), info.kind,
                     info.api_version);
}

}  // namespace winnow
